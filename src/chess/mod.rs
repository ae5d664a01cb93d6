//! Chess, in full: values, rules, evaluation, search.

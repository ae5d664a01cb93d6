#!/bin/sh
# Plays an engine against those that Debian packages: 200 games each at 4+0.04.
#   gauntlet.sh ENGINE OPENINGS FOLDER [OPPONENT...]
# What the words mean, and what is read from the environment: `play.sh`.
. "$(dirname "$0")/play.sh"

against() {
    play tegenspel 4+0.04 "$@"
}

[ $# -gt 0 ] || set -- toga2 glaurung fairy-stockfish ethereal stockfish-classical
for opponent; do
    case $opponent in
    toga2 | glaurung) against "$opponent" "cmd=$opponent" option.OwnBook=false ;;
    fairy-stockfish | stockfish) against "$opponent" "cmd=$opponent" ;;
    ethereal) against ethereal cmd=ethereal-chess ;;
    stockfish-classical) against stockfish-classical cmd=stockfish "option.Use NNUE=false" ;;
    *) echo "gauntlet.sh: no opponent is called $opponent" >&2 && exit 1 ;;
    esac
done

//! The engine on one machine, the chess program on another: `serve` gives each connection over TCP
//! an engine of its own, `connect` is what the chess program starts in the engine's place.
//!
//! A session is a process: when it falls over, no other does, and when its line is cut it ends by
//! itself, as it does when a chess program dies. What goes over the line is what goes over the
//! pipes, byte by byte; only the first line of a guarded session is ours: `token TOKEN`.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Cursor, Read, Write, stderr, stdin, stdout},
    net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use super::Outcome;

/// How they are called.
pub(super) const USAGE: &str = "\
serve [--listen ADDRESS:PORT] [--sessions N] [--token-file FILE]
connect ADDRESS:PORT [--token-file FILE]";

/// Where `serve` listens unless told otherwise: only this machine can reach it.
const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7734);
/// Sessions at a time unless told otherwise.
const SESSIONS: usize = 4;
/// Who has not shown his token by then is sent away.
const PATIENCE: Duration = Duration::from_secs(10);
/// Callers at a time who have no session: each is a thread until he is let in or sent away.
const STRANGERS: usize = 16;
/// After a call that could not be answered: what the system lacks does not come back at once.
const PAUSE: Duration = Duration::from_millis(100);
/// Bytes of a first line that are looked at; of the longest token, with the word before it.
const LONGEST_LINE: u64 = 1024;
/// First words of a web browser (RFC 9110, 9.1; the last: RFC 5789).
const HTTP_METHODS: [&[u8]; 9] =
    [b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"CONNECT", b"OPTIONS", b"TRACE", b"PATCH"];

/// What the command line says.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// `serve`: where to listen; `connect`: whom to call.
    address: String,
    sessions: usize,
    token: Option<String>,
}

impl Options {
    fn parse(words: &[String]) -> Result<Self, String> {
        let mut options = Self { address: ADDRESS.to_string(), sessions: SESSIONS, token: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word}: a value is missing"));
            match word.as_str() {
                "--listen" => options.address.clone_from(value()?),
                "--sessions" => {
                    let text = value()?;
                    options.sessions = text.parse().ok().filter(|&n| n > 0).ok_or_else(|| {
                        format!("--sessions: '{text}' is not a number of sessions")
                    })?;
                }
                "--token-file" => options.token = Some(token_of(value()?)?),
                _ if word.starts_with('-') => return Err(format!("no option '{word}'\n{USAGE}")),
                _ => options.address.clone_from(word),
            }
        }
        Ok(options)
    }
}

/// The first line of a file, which nobody else should be able to read.
fn token_of(path: &str) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let token = text.lines().next().unwrap_or_default().trim();
    if token.is_empty() { Err(format!("{path}: no token in it")) } else { Ok(token.to_owned()) }
}

/// Serves until it is killed.
///
/// # Errors
/// If the command line is wrong, or nobody can be listened to there.
pub(super) fn serve(words: &[String]) -> io::Result<Outcome> {
    let options = Options::parse(words).map_err(io::Error::other)?;
    let listener = listen(&options)?;
    let (address, sessions) = (listener.local_addr()?, options.sessions);
    let guard = if options.token.is_some() { "with a token" } else { "without a token" };
    tell(&format!("serving on {address}, {sessions} sessions at most, {guard}"));
    let (options, running) = (Arc::new(options), Arc::new(AtomicUsize::new(0)));
    let callers = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Somebody hung up before he was answered, or the system has no file left to give.
            thread::sleep(PAUSE);
            continue;
        };
        let Some(place) = Seat::take(&callers, sessions.saturating_add(STRANGERS)) else {
            tell("somebody was sent away: too many callers");
            let _ = writeln!(&stream, "info string too many callers");
            continue;
        };
        let (options, running) = (Arc::clone(&options), Arc::clone(&running));
        let started = thread::Builder::new().spawn(move || {
            receive(&stream, &options, &running);
            drop(place);
        });
        if let Err(error) = started {
            tell(&format!("somebody was sent away: {error}"));
        }
    }
    Ok(Outcome::Done)
}

/// Tells the operator, if he still listens.
fn tell(line: &str) {
    let _ = writeln!(stderr(), "tegenspel: {line}");
}

/// Whoever can reach the port can use the machine: beyond the machine itself a token is required.
fn listen(options: &Options) -> io::Result<TcpListener> {
    let told = |error: io::Error| io::Error::other(format!("{}: {error}", options.address));
    let addresses: Vec<SocketAddr> = options.address.to_socket_addrs().map_err(told)?.collect();
    if options.token.is_none() && addresses.iter().any(|address| !address.ip().is_loopback()) {
        let reason = "other machines can reach this address: --token-file is required";
        return Err(io::Error::other(format!("{}: {reason}", options.address)));
    }
    TcpListener::bind(&addresses[..]).map_err(told)
}

/// One of a number of places; given back when dropped.
struct Seat(Arc<AtomicUsize>);

impl Seat {
    /// A place, unless there are `most` already.
    fn take(taken: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let seat = Self(Arc::clone(taken));
        (taken.fetch_add(1, SeqCst) < most).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// A caller, from his first word to his last.
fn receive(mut stream: &TcpStream, options: &Options, running: &Arc<AtomicUsize>) {
    let who = stream.peer_addr().map_or_else(|_| "somebody".to_owned(), |a| a.to_string());
    match admit(stream, options, running) {
        Ok(seat) => {
            tell(&format!("{who} has come"));
            let end = attend(stream).err().map(|error| format!(": {error}"));
            tell(&format!("{who} has gone{}", end.unwrap_or_default()));
            drop(seat);
        }
        Err(reason) => {
            tell(&format!("{who} was sent away: {reason}"));
            let _ = writeln!(stream, "info string {reason}");
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn admit(
    stream: &TcpStream,
    options: &Options,
    running: &Arc<AtomicUsize>,
) -> Result<Seat, String> {
    if let Some(token) = &options.token {
        let shown = first_line(stream, Some(Instant::now() + PATIENCE))
            .map_err(|_| "no token was shown".to_owned())?;
        let shown = shown.trim_ascii_end().strip_prefix(b"token ").unwrap_or_default();
        if !is_same(shown, token.as_bytes()) {
            return Err("this is not the token".to_owned());
        }
    }
    Seat::take(running, options.sessions)
        .ok_or_else(|| format!("all {} sessions are taken", options.sessions))
}

/// The first line with its end, not a byte more: the rest belongs to the session. Without an end it
/// is what came before the caller fell silent, or [`LONGEST_LINE`] of it.
///
/// # Errors
/// If it is not there by the deadline, or the line is cut.
#[expect(clippy::unbuffered_bytes, reason = "a buffer would take more than the line, once")]
fn first_line(stream: &TcpStream, deadline: Option<Instant>) -> io::Result<Vec<u8>> {
    let mut bytes = stream.take(LONGEST_LINE).bytes();
    let mut line: Vec<u8> = Vec::new();
    while line.last() != Some(&b'\n') {
        if let Some(deadline) = deadline {
            // What is left for the whole line: a byte now and then is not to hold the door open.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            stream.set_read_timeout(Some(left))?;
        }
        let Some(byte) = bytes.next() else { break };
        line.push(byte?);
    }
    stream.set_read_timeout(None)?;
    Ok(line)
}

/// Compares in a time that tells nothing of where the two differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}

/// Whether a web browser is calling: a page of any site can have it do so, and the lines of what it
/// posts would be obeyed. The method tells, as no command is in capitals; the version is at the end
/// of the line, which a page can make as long as it likes.
fn is_http(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace);
    words.next().is_some_and(|word| HTTP_METHODS.contains(&word))
}

/// Connects a process of this program with the line, until either ends.
///
/// A line that is cut ends the session. One that dies without a word, as when its machine is
/// switched off, is noticed when what the engine says is not received: until then, and for as long
/// as the engine is silent, it keeps its seat. The standard library cannot have the system ask.
fn attend(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    // No engine says anything before it has heard something.
    let line = first_line(stream, None)?;
    if line.is_empty() {
        return Ok(());
    }
    if is_http(&line) {
        return Err(io::Error::other("a web browser called"));
    }
    let from = Cursor::new(line).chain(stream.try_clone()?);
    let mut engine =
        Command::new(env::current_exe()?).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (engine.stdin.take(), engine.stdout.take());
    let (Some(input), Some(output)) = (input, output) else {
        return Err(io::Error::other("the engine has no pipes"));
    };
    // At the end of the line the pipe is dropped, which is the engine's end of input.
    let end =
        thread::Builder::new().spawn(move || pump(from, input)).and_then(|_| pump(output, stream));
    // The line is cut, or the engine has quit: whichever it was, both are to end.
    let _ = stream.shutdown(Shutdown::Both);
    leave(&mut engine)?;
    end
}

/// An engine whose line is cut quits at once; one that does not is made to.
fn leave(engine: &mut Child) -> io::Result<()> {
    for _ in 0..50 {
        if engine.try_wait()?.is_some() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    engine.kill()?;
    engine.wait().map(drop)
}

/// Passes on what comes, as it comes, to its end.
fn pump(from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut from = BufReader::new(from);
    loop {
        let bytes = from.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        let count = bytes.len();
        to.write_all(bytes)?;
        to.flush()?;
        from.consume(count);
    }
}

/// Stands for an engine that is served elsewhere.
///
/// # Errors
/// If the command line is wrong, or the server cannot be reached.
pub(super) fn connect(words: &[String]) -> io::Result<Outcome> {
    let options = Options::parse(words).map_err(io::Error::other)?;
    let stream = TcpStream::connect(&options.address)
        .map_err(|error| io::Error::other(format!("{}: {error}", options.address)))?;
    stream.set_nodelay(true)?;
    if let Some(token) = &options.token {
        writeln!(&stream, "token {token}")?;
    }
    let to = stream.try_clone()?;
    thread::Builder::new().spawn(move || {
        let _ = pump(stdin(), &to);
        // The server's engine sees the end of its input; what it still says is shown.
        let _ = to.shutdown(Shutdown::Write);
    })?;
    pump(&stream, stdout())?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn without_options_only_this_machine_is_served() {
        let options = parse("").unwrap();
        assert!(options.address.parse::<SocketAddr>().unwrap().ip().is_loopback());
    }

    #[test]
    fn other_machines_are_not_served_without_a_token() {
        let open = parse("--listen 0.0.0.0:0").unwrap();
        assert!(listen(&open).unwrap_err().to_string().contains("--token-file is required"));
        assert!(listen(&Options { token: Some("x".into()), ..open }).is_ok());
        assert!(listen(&parse("--listen 127.0.0.1:0").unwrap()).is_ok());
    }

    #[test]
    fn wrong_words_are_named() {
        assert!(parse("--port 1").unwrap_err().contains("'--port'"));
        assert!(parse("--sessions 0").unwrap_err().contains("'0'"));
        assert!(parse("--sessions").unwrap_err().contains("missing"));
        assert!(parse("--token-file /nowhere/at/all").unwrap_err().contains("/nowhere/at/all"));
    }

    /// Two ends of a line.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    #[test]
    fn only_the_token_opens_the_door_and_only_as_often_as_there_are_seats() {
        let options =
            Options { address: String::new(), sessions: 1, token: Some("sesame".to_owned()) };
        let running = Arc::new(AtomicUsize::new(0));
        let call = |words: &str| {
            let (near, far) = pair();
            writeln!(&near, "{words}").unwrap();
            let seat = admit(&far, &options, &running);
            (near, seat)
        };
        assert_eq!(call("token barley").1.err().unwrap(), "this is not the token");
        assert_eq!(call("uci").1.err().unwrap(), "this is not the token");
        let (_near, seat) = call("token sesame");
        assert!(seat.is_ok());
        assert_eq!(call("token sesame").1.err().unwrap(), "all 1 sessions are taken");
        drop(seat);
        assert!(call("token sesame").1.is_ok());
    }

    #[test]
    fn what_follows_the_token_is_left_to_the_session() {
        let (near, mut far) = pair();
        (&near).write_all(b"token x\r\nuci\n").unwrap();
        assert_eq!(first_line(&far, None).unwrap(), b"token x\r\n");
        let mut rest = [0; 4];
        far.read_exact(&mut rest).unwrap();
        assert_eq!(&rest, b"uci\n");
    }

    #[test]
    fn the_whole_token_line_has_one_deadline() {
        let (near, far) = pair();
        (&near).write_all(b"token sesame\n").unwrap();
        let error = first_line(&far, Some(Instant::now())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    /// RFC 9112, 3: a request begins with its method.
    #[test]
    fn a_web_browser_is_known_by_its_first_word() {
        for line in ["POST / HTTP/1.1\r\n", "GET /?a=uci HTTP/1.0\n", "OPTIONS * HTTP/1.1\r\n"] {
            assert!(is_http(line.as_bytes()), "{line}");
        }
        for line in ["uci\r\n", "protocol_version\n", "get x\n", "POSTER x\n", "\n", ""] {
            assert!(!is_http(line.as_bytes()), "{line}");
        }
    }
}

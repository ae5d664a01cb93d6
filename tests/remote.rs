//! The engine over a network, both ends the built binary.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use crate::support::Engine;

/// A server that is killed when dropped, and where it listens.
struct Server(Child, String);

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tegenspel"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        // Whatever it tells later must not block it.
        std::thread::spawn(move || lines.for_each(drop));
        let address = first.split("serving on ").nth(1).unwrap().split(',').next().unwrap();
        Self(process, address.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn each_connection_has_an_engine_of_its_own_in_the_language_it_speaks() {
    let server = Server::start(&[]);
    let mut chess = Engine::start(&["connect", &server.1]);
    chess.send("uci").expect("uciok");
    chess.send("setoption name Hash value 1").send("position startpos moves e2e4");
    let mut other = Engine::start(&["connect", &server.1]);
    other.send("position startpos").send("go depth 1").expect("bestmove");
    let mut go = Engine::start(&["connect", &server.1]);
    go.send("protocol_version").expect("= 2");
    let board = chess.send("d").collect("Fen:");
    assert!(board.last().unwrap().contains("4P3"), "{board:?}");
}

#[test]
fn a_guarded_server_asks_for_its_token() {
    let path = env::temp_dir().join(format!("tegenspel-token-{}", std::process::id()));
    fs::write(&path, "open sesame\n").unwrap();
    let token = path.to_str().unwrap();
    let server = Server::start(&["--token-file", token]);
    let mut stranger = Engine::start(&["connect", &server.1]);
    stranger.send("uci").expect("info string this is not the token");
    let mut friend = Engine::start(&["connect", &server.1, "--token-file", token]);
    friend.send("isready").expect("readyok");
    fs::remove_file(&path).unwrap();
}

/// RFC 9112, 3: a request begins with its method. A page of any site can have a browser send one.
#[test]
fn a_web_page_gets_no_engine() {
    let server = Server::start(&[]);
    let mut page = TcpStream::connect(&server.1).unwrap();
    page.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nuci\r\nquit\r\n").unwrap();
    let mut answer = Vec::new();
    // Lines that were not read may make the end an error.
    let _ = page.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn callers_who_have_shown_no_token_are_counted() {
    let path = env::temp_dir().join(format!("tegenspel-silence-{}", std::process::id()));
    fs::write(&path, "open sesame\n").unwrap();
    let server = Server::start(&["--sessions", "1", "--token-file", path.to_str().unwrap()]);
    // As many as may be there at a time: one with a session and sixteen without.
    let silent: Vec<_> = (0..17).map(|_| TcpStream::connect(&server.1).unwrap()).collect();
    let mut answer = String::new();
    let caller = TcpStream::connect(&server.1).unwrap();
    BufReader::new(caller).read_line(&mut answer).unwrap();
    assert_eq!(answer, "info string too many callers\n");
    drop(silent);
    fs::remove_file(&path).unwrap();
}

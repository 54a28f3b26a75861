package torture

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// A log is what a process writes to its standard error. Every line is looked at
// when it is complete.
type log struct {
	mu      sync.Mutex
	keep    io.Writer // gets every line
	part    []byte
	wrong   func(why string, line []byte)
	listens chan struct{} // closed once it is known on which address
	address string        // once it listens
}

var (
	listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	// private is what only transcripts hold, or their names: ids, directories, texts.
	private = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|home[-/]dev|Users[-\\]dev|\.jsonl|` + marker)
	// broken is what no daemon should say. Only a bad configuration may fail.
	broken   = regexp.MustCompile(`^panic:|^fatal error:|DATA RACE|level=ERROR`)
	expected = regexp.MustCompile(`msg="Failed to reload the configuration`)
)

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		end := bytes.IndexByte(l.part, '\n')
		if end < 0 {
			return len(b), nil
		}
		l.line(l.part[:end])
		l.part = l.part[end+1:]
	}
}

func (l *log) line(line []byte) {
	_, _ = l.keep.Write(append(line, '\n'))
	switch {
	case private.Match(line):
		l.wrong("tells what is private", line)
	case broken.Match(line) && !expected.Match(line):
		l.wrong("tells of a fault", line)
	}
	if m := listening.FindSubmatch(line); m != nil && l.address == "" {
		l.address = string(m[1])
		close(l.listens)
	}
}

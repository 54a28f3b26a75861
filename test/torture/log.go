package torture

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// A log is the standard error of a process. It checks every complete line.
type log struct {
	mu      sync.Mutex
	out     io.Writer // gets every line
	partial []byte
	onError func(why string, line []byte)
	listens chan struct{} // closed when address is known
	address string
}

var (
	listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	// private matches ids, directories and texts, which only transcripts and their
	// names have.
	private = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|home[-/]dev|Users[-\\]dev|\.jsonl|` + marker)
	// unreadable matches the project of an unreadable directory, which one warning names.
	unreadable = regexp.MustCompile(`(msg="Failed to read a directory, [^"]*" root=\S+ directories=\d+ first=\S*)/[^/\s]+ `)
	// Only a bad configuration may cause an error.
	failed   = regexp.MustCompile(`^panic:|^fatal error:|DATA RACE|level=ERROR`)
	expected = regexp.MustCompile(`msg="Failed to reload the configuration`)
)

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, b...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		if end < 0 {
			return len(b), nil
		}
		l.check(l.partial[:end])
		l.partial = l.partial[end+1:]
	}
}

func (l *log) check(line []byte) {
	_, _ = l.out.Write(append(line, '\n'))
	switch {
	case private.Match(unreadable.ReplaceAll(line, []byte("$1 "))):
		l.onError("has private data", line)
	case failed.Match(line) && !expected.Match(line):
		l.onError("has an error", line)
	}
	if m := listening.FindSubmatch(line); m != nil && l.address == "" {
		l.address = string(m[1])
		close(l.listens)
	}
}

package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// logInterval is the time in which a warning or error of one source and reason is
	// logged once.
	logInterval = time.Minute
	// maxRareKeys limits the sources and reasons that are told apart within an interval.
	maxRareKeys = 1000
)

// NewRareHandler returns a log handler that passes on one warning or error per minute
// for each source and reason: users and strangers could fill the log otherwise. At the
// end of the minute the last suppressed record follows, with the number of suppressed
// records. A source is in the text attributes of a record, a reason in its message and
// error.
func NewRareHandler(next slog.Handler) slog.Handler {
	return rareHandler{Handler: next, recent: &recentRecords{intervals: make(map[string]*logged)}}
}

type rareHandler struct {
	slog.Handler
	attrs  string // the keys of the handler's attributes
	recent *recentRecords
}

// Handle implements slog.Handler.
func (h rareHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	var key strings.Builder
	key.WriteString(r.Message + h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		key.WriteString(attrKey(a))
		return true
	})
	again := func(n int) {
		last := r.Clone()
		last.Time = time.Now()
		last.AddAttrs(slog.Int("suppressed", n))
		_ = h.Handler.Handle(context.WithoutCancel(ctx), last)
	}
	if h.recent.suppress(key.String(), r.Message, again) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h rareHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h.attrs += attrKey(a)
	}
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

// WithGroup implements slog.Handler.
func (h rareHandler) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

// attrKey returns what tells an attribute apart: not its numbers, nor the names of
// files in errors.
func attrKey(a slog.Attr) string {
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		return "\n" + a.Key + "=" + value.String()
	case slog.KindAny:
		if err, ok := value.Any().(error); ok {
			return "\n" + a.Key + "=" + errorKey(err)
		}
	}
	return ""
}

func errorKey(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Op + " " + filepath.Dir(e.Path) + ": " + e.Err.Error()
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Op + " " + filepath.Dir(e.New) + ": " + e.Err.Error()
	}
	return err.Error()
}

// recentRecords counts the records of the last minute.
type recentRecords struct {
	mu        sync.Mutex
	intervals map[string]*logged // by key
}

// logged is a record that was logged in the last minute.
type logged struct {
	suppressed int
	again      func(suppressed int) // logs the last suppressed record
}

// suppress reports whether a record of this key was logged in the last minute, and
// counts it. If there are too many keys, messages are the keys of further records.
func (c *recentRecords) suppress(key, message string, again func(int)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.intervals[key] == nil && len(c.intervals) >= maxRareKeys {
		key = message
	}
	if known := c.intervals[key]; known != nil {
		known.suppressed++
		known.again = again
		return true
	}
	c.begin(key)
	return false
}

func (c *recentRecords) begin(key string) {
	c.intervals[key] = new(logged)
	time.AfterFunc(logInterval, func() { c.end(key) })
}

// end ends a minute. If records were suppressed, the last one begins another.
func (c *recentRecords) end(key string) {
	c.mu.Lock()
	ended := c.intervals[key]
	delete(c.intervals, key)
	if ended.suppressed > 0 {
		c.begin(key)
	}
	c.mu.Unlock()
	if ended.suppressed > 0 {
		ended.again(ended.suppressed)
	}
}

// A StandardLog is the output of a logger of the standard library. Its text can hold
// what another program sent, so only its kind is logged above debug level.
type StandardLog struct {
	Logger *slog.Logger
	Source string // the part of the program that uses the logger
}

// Write logs one message.
func (l StandardLog) Write(text []byte) (int, error) {
	kind := messageKind(string(text))
	level := slog.LevelWarn
	if kind == panicking {
		level = slog.LevelError
	}
	l.Logger.Log(context.Background(), level, "The standard library reports a problem", "source", l.Source, "kind", kind)
	if kind != unsolicited {
		l.Logger.Debug("Text of the problem", "source", l.Source, "text", strings.TrimSpace(string(text)))
	}
	return len(text), nil
}

// Kinds of messages of net/http.
const (
	panicking   = "http: panic serving"
	unsolicited = "Unsolicited response received on idle HTTP channel" // its text can be a password
)

// messageKind returns the beginning of a message that is always the same.
func messageKind(text string) string {
	for _, known := range []string{
		"http: TLS handshake error", panicking, "http: Accept error", "http: superfluous response.WriteHeader call",
		unsolicited, "http2:", "http:",
	} {
		if strings.HasPrefix(text, known) {
			return strings.TrimSuffix(known, ":")
		}
	}
	return "other"
}

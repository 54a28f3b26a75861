package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A messageHandler is a log handler that writes messages for a person, in the format of
// printError: the log of commands that end.
type messageHandler struct {
	slog.Handler // decides which levels are enabled

	to    *messageWriter
	attrs []slog.Attr
}

// A messageWriter writes one message at a time.
type messageWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Handle implements slog.Handler.
func (h messageHandler) Handle(_ context.Context, r slog.Record) error {
	attrs := slices.Clone(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	h.to.mu.Lock()
	defer h.to.mu.Unlock()
	printError(h.to.w, errors.New(messageOf(r.Message, attrs))) //nolint:err113 // printed only
	return nil
}

// WithAttrs implements slog.Handler.
func (h messageHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return messageHandler{h.Handler.WithAttrs(attrs), h.to, append(slices.Clone(h.attrs), attrs...)}
}

// WithGroup implements slog.Handler. Messages have no groups.
func (h messageHandler) WithGroup(string) slog.Handler { return h }

// A sentence is an attribute that replaces a message for a person. It may name
// directories, so a log omits it.
type sentence string

// LogValue implements slog.LogValuer. Handlers omit empty groups.
func (sentence) LogValue() slog.Value { return slog.GroupValue() }

// messageOf returns a message with its attributes: the error after a colon, everything
// else in parentheses.
func messageOf(text string, attrs []slog.Attr) string {
	var details []string
	cause := ""
	for _, a := range attrs {
		if s, ok := a.Value.Any().(sentence); ok {
			text = string(s)
			continue
		}
		switch value := valueOf(a.Value); a.Key {
		case "err":
			cause = ": " + value
		default:
			details = append(details, a.Key+" "+value)
		}
	}
	if len(details) > 0 {
		text += " (" + strings.Join(details, ", ") + ")"
	}
	return lowerFirst(text) + cause
}

func valueOf(v slog.Value) string {
	if v.Kind() == slog.KindTime {
		return v.Time().Format(time.RFC3339)
	}
	return v.String()
}

// lowerFirst returns a text that begins with a lower-case letter, unless its first word
// is an abbreviation.
func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

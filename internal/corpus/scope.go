package corpus

import (
	"cmp"
	"slices"
)

// A scope holds the arguments of a template, and what it saves.
type scope struct {
	arg        string
	kind       string // of the entry
	layout     string // of the entry; empty: that of its kind
	id         string // of the tool call
	at         int64  // when that was made
	callee     *transcript
	body, tail func()
	message    *message
	usage      *usage
	stop       string
	bare       bool // the usage has no counts of the cache
	saved      [slots]span
}

// The slots of what templates save.
const (
	savedPath = iota
	savedOld
	savedNew
	savedText
	savedMessage
	slots
)

func slotOf(name string) int {
	slot := slices.Index([]string{"path", "old", "new", "text", "message"}, name)
	if slot < 0 {
		panic("unknown slot " + name)
	}
	return slot
}

// parts are the placeholders that call code.
func parts() map[string]part {
	return map[string]part{
		"body": func(_ *transcript, k *scope) { k.body() },
		"created": func(t *transcript, k *scope) {
			t.linesChanged(lineCount(t.b[k.saved[savedNew].from:k.saved[savedNew].to]), 0)
		},
		"iterations": (*transcript).iterations,
		"kind":       func(t *transcript, k *scope) { t.write(t.Templates["entry_"+cmp.Or(k.layout, k.kind)], k) },
		"patch":      func(t *transcript, _ *scope) { t.patch() },
		"stamp":      func(t *transcript, _ *scope) { t.stamp() },
		"tail": func(_ *transcript, k *scope) {
			if k.tail != nil {
				k.tail()
			}
		},
		"time": func(t *transcript, _ *scope) { t.time(t.tempo.at(t.now)) },
	}
}

// names are the placeholders for strings, which are also conditions.
func names() map[string]func(*transcript, *scope) string {
	return map[string]func(*transcript, *scope) string{
		"agent":      func(t *transcript, _ *scope) string { return t.agent },
		"arg":        func(_ *transcript, k *scope) string { return k.arg },
		"background": func(t *transcript, _ *scope) string { return flag(t.background) },
		"bare":       func(_ *transcript, k *scope) string { return flag(k.bare) },
		"branch":     func(t *transcript, _ *scope) string { return t.branch },
		"call":       func(_ *transcript, k *scope) string { return k.id },
		"callee":     func(_ *transcript, k *scope) string { return k.callee.agent },
		"cwd":        func(t *transcript, _ *scope) string { return t.cwd },
		"entrypoint": func(t *transcript, _ *scope) string { return t.entrypoint },
		"gateway":    func(t *transcript, _ *scope) string { return flag(t.provider.gateway()) },
		"message_id": func(_ *transcript, k *scope) string { return k.message.id },
		"model":      func(_ *transcript, k *scope) string { return k.message.model },
		"parent":     func(t *transcript, _ *scope) string { return t.parent },
		"path":       func(t *transcript, _ *scope) string { return t.filePath(t.rng) },
		"request":    func(_ *transcript, k *scope) string { return k.message.request },
		"searched":   func(_ *transcript, k *scope) string { return flag(k.usage.searches+k.usage.fetches > 0) },
		"session":    func(t *transcript, _ *scope) string { return t.sessionID },
		"side":       func(t *transcript, _ *scope) string { return flag(t.side) },
		"slug":       func(t *transcript, _ *scope) string { return t.slug },
		"stop":       func(_ *transcript, k *scope) string { return k.stop },
		"uuid":       func(t *transcript, _ *scope) string { return t.uuid() },
		"version":    func(t *transcript, _ *scope) string { return t.versionText },
	}
}

// flag returns a string that is empty if the condition is false.
func flag(is bool) string {
	if is {
		return "true"
	}
	return ""
}

// numbers are the placeholders for numbers.
func numbers() map[string]func(*transcript, *scope) int {
	return map[string]func(*transcript, *scope) int{
		"context":       func(t *transcript, _ *scope) int { return t.context },
		"dropped":       func(t *transcript, _ *scope) int { return t.previous - t.context },
		"entries":       func(t *transcript, _ *scope) int { return len(t.records) },
		"fetches":       func(_ *transcript, k *scope) int { return k.usage.fetches },
		"input_tokens":  func(_ *transcript, k *scope) int { return k.usage.input },
		"output_tokens": func(_ *transcript, k *scope) int { return k.usage.output },
		"previous":      func(t *transcript, _ *scope) int { return t.previous },
		"read":          func(_ *transcript, k *scope) int { return k.usage.read },
		"searches":      func(_ *transcript, k *scope) int { return k.usage.searches },
		"thinking":      func(_ *transcript, k *scope) int { return k.usage.thinking },
		"sum": func(_ *transcript, k *scope) int {
			if k.message.nested {
				return 0
			}
			return k.usage.written
		},
		"took":      func(t *transcript, k *scope) int { return int(t.now - k.at) },
		"unix":      func(t *transcript, _ *scope) int { return int(t.tempo.at(t.now)) },
		"written":   func(_ *transcript, k *scope) int { return k.usage.written },
		"written1h": func(_ *transcript, k *scope) int { return k.usage.written1h },
		"written5m": func(_ *transcript, k *scope) int { return k.usage.written5m },
	}
}

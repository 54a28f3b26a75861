package transcript

import (
	"strings"
	"testing"
)

// Each line may have 65,536 parts in all its objects together, whatever their kinds.
func TestPartsOfLine(t *testing.T) {
	assistant := func(message string) string { return `{"type":"assistant","message":{` + message + `}}` }
	calls := func(n int) string {
		return assistant(`"content":[` + strings.Repeat(`{"type":"tool_use"},`, n) + `1]`)
	}
	parts := func(e *Entry) int {
		n := len(e.Uses) + len(e.Results) + len(e.Reported)
		if e.Message != nil {
			n += len(e.Message.Iterations)
		}
		if e.Prompt != nil {
			n++
		}
		return n
	}
	p := NewParser()
	for name, two := range map[string]string{
		"calls":      calls(2),
		"results":    `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}]}}`,
		"prompts":    `{"type":"user","message":{"content":"do it"}}`,
		"iterations": assistant(`"usage":{"iterations":[{"type":"advisor_message"},{"type":"compaction"}]}`),
		"models":     `{"type":"cost-state","sessionId":"s","modelUsage":{"a":{},"b":{}}}`,
	} {
		var buffer Buffer
		p.Parse([]byte(calls(maxParts-1)+two+two), false, &buffer)
		equal(t, name, len(buffer.Entries), 3)
		for i, want := range []int{maxParts - 1, 1, 0} {
			equal(t, name, parts(&buffer.Entries[i]), want)
		}
	}
}

// The blocks of a queued prompt are parts, too.
func TestPartsOfQueuedPrompts(t *testing.T) {
	queued := func(blocks string) string {
		return `{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[` + blocks + `]}}`
	}
	machine := queued(`{"type":"text","text":"<task-notification"}`)
	for n, want := range map[int]bool{maxParts - 1: false, maxParts: true} {
		entries := parse([]byte(queued(strings.Repeat(`{},`, n)+`1`)+machine), false).Entries
		equal(t, "text beyond the limit is a prompt", entries[1].Prompt != nil, want)
	}
}

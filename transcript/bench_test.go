package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// BenchmarkParse measures typical lines, and the lines of whole sessions. It compares
// them with the time that encoding/json takes to only validate them.
func BenchmarkParse(b *testing.B) {
	const head = `"parentUuid":"11111111-1111-4111-8111-000000000001","isSidechain":false,"userType":"external",` +
		`"cwd":"/home/dev/project","sessionId":"11111111-1111-4111-8111-000000000002","version":"2.1.200","gitBranch":"main",` +
		`"uuid":"11111111-1111-4111-8111-000000000003","timestamp":"2026-02-03T04:05:06.789Z"`
	text := strings.Repeat(`A line of text, \"quoted\".\n`, 100)
	line := func(s string) [][]byte { return [][]byte{[]byte(s)} }
	benchmarkLines(b, map[string][][]byte{
		"assistant": line(`{` + head + `,"type":"assistant","message":{"id":"msg_01ABCDEFGHIJKLMNOPQRSTUV","type":"message","role":"assistant","model":"claude-opus-4-6",` +
			`"content":[{"type":"tool_use","id":"toolu_01ABCDEFGHIJKLMNOPQRSTUV","name":"Edit","input":{"file_path":"/home/dev/x","new_string":"` + text + `"}}],` +
			`"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":648,"cache_read_input_tokens":16207,` +
			`"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":648},"output_tokens":146,"service_tier":"standard"}}}`),
		"result": line(`{` + head + `,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01ABCDEFGHIJKLMNOPQRSTUV","content":"` + text + `"}]},` +
			`"toolUseResult":{"stdout":"` + text + `","stderr":"","interrupted":false}}`),
		"progress": line(`{` + head + `,"type":"progress","data":{"type":"bash_progress","output":"` + text + `"}}`),
		"prompt":   line(`{` + head + `,"type":"user","message":{"role":"user","content":"do it"}}`),
		"torn":     line(`{` + head + `,"type":"user","message":{"content":"` + text + `{` + head + `,"type":"user","message":{"content":"do it"}}`),
		"sessions": fixtureLines(b),
	})
}

// BenchmarkHostile measures lines that are made to be expensive.
func BenchmarkHostile(b *testing.B) {
	lines := map[string][][]byte{}
	for name, hostile := range hostileLines() {
		lines[name] = [][]byte{[]byte(hostile(1 << 20))}
	}
	benchmarkLines(b, lines)
}

// benchmarkLines parses lines as the daemon does: with one parser, into one buffer.
func benchmarkLines(b *testing.B, all map[string][][]byte) {
	b.Helper()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		lines := all[name]
		size := 0
		for _, line := range lines {
			size += len(line)
		}
		b.Run(name+"/Parse", func(b *testing.B) {
			p, buffer := NewParser(), &Buffer{}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				buffer.Reset()
				for _, line := range lines {
					p.Parse(line, false, buffer)
				}
			}
		})
		b.Run(name+"/json.Valid", func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines {
					json.Valid(line)
				}
			}
		})
	}
}

package transcript

import (
	"strings"
	"testing"
)

// BenchmarkParse measures lines in the shapes and sizes that sessions are made of.
func BenchmarkParse(b *testing.B) {
	const head = `"parentUuid":"11111111-1111-4111-8111-000000000001","isSidechain":false,"userType":"external",` +
		`"cwd":"/home/dev/project","sessionId":"11111111-1111-4111-8111-000000000002","version":"2.1.200","gitBranch":"main",` +
		`"uuid":"11111111-1111-4111-8111-000000000003","timestamp":"2026-02-03T04:05:06.789Z"`
	text := strings.Repeat(`A line of text, \"quoted\".\n`, 100)
	lines := map[string]string{
		"assistant": `{` + head + `,"type":"assistant","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-opus-4-6",` +
			`"content":[{"type":"tool_use","id":"toolu_01","name":"Edit","input":{"file_path":"/home/dev/x","new_string":"` + text + `"}}],` +
			`"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":648,"cache_read_input_tokens":16207,` +
			`"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":648},"output_tokens":146,"service_tier":"standard"}}}`,
		"result": `{` + head + `,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"` + text + `"}]},` +
			`"toolUseResult":{"stdout":"` + text + `","stderr":"","interrupted":false}}`,
		"progress": `{` + head + `,"type":"progress","data":{"type":"bash_progress","output":"` + text + `"}}`,
		"prompt":   `{` + head + `,"type":"user","message":{"role":"user","content":"do it"}}`,
		"torn":     `{` + head + `,"type":"user","message":{"content":"` + text + `{` + head + `,"type":"user","message":{"content":"do it"}}`,
	}
	for name, line := range lines {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if got := parse([]byte(line), false); len(got.Entries) != 1 {
					b.Fatalf("%d entries, want one", len(got.Entries))
				}
			}
		})
	}
}

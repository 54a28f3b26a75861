package api

import (
	"encoding/json"
	"testing"
)

func TestKind(t *testing.T) {
	for _, test := range []struct{ request, want string }{
		{prompt, Turn},
		{`{"messages": [{"role": "user", "content": "SCRIPT:main"}]}`, Turn},
		{`{"tools": [{}, {}], "messages": [{"role": "user", "content": "no name"}]}`, Turn},
		{`{"messages": [{"role": "user", "content": "no name"}]}`, Other},
		{`{"messages": [{"role": "user", "content": "quota"}]}`, Quota},
		{`{"tools": [{}, {}], "messages": [{"role": "user", "content": "Warmup"}]}`, Warmup},
		{`{"tools": [{"type": "web_search_20250305"}], "messages": [{"role": "user", "content": "SCRIPT:main"}]}`, WebSearch},
		{`{"tools": [{}, {}], "messages": [{"role": "user", "content": "SCRIPT:main"}, {"role": "user", "content": "A detailed summary of this conversation"}]}`, Compaction},
		{`{"system": [{"text": "isNewTopic"}], "messages": [{"role": "user", "content": "SCRIPT:main"}]}`, Topic},
		{`{"system": "a title", "messages": [{"role": "user", "content": "SCRIPT:main"}]}`, Title},
		{`{"messages": [{"role": "user", "content": "the prefix of this command"}]}`, BashCheck},
		{`{"system": "filepaths", "messages": [{"role": "user", "content": "echo"}]}`, BashCheck},
	} {
		var q request
		if err := json.Unmarshal([]byte(test.request), &q); err != nil {
			t.Fatal(err)
		}
		if got := q.kind(q.script(Scripts{"main": {}})); got != test.want {
			t.Errorf("%s: want %s, got %s", test.request, test.want, got)
		}
	}
}

func TestCheck(t *testing.T) {
	text := []Block{{"type": "text", "text": "a"}}
	for _, test := range []struct {
		reply Reply
		valid bool
	}{
		{Reply{Blocks: text}, true},
		{Reply{Blocks: text, Cut: "content_block_delta 0"}, true},
		{Reply{Blocks: text, Cut: "content_block_delta 1"}, false},
		{Reply{Blocks: text, ErrorEvent: "api_error"}, false},
		{Reply{Blocks: text, Status: 500}, false},
	} {
		if err := test.reply.Check(); (err == nil) != test.valid {
			t.Errorf("%+v: got %v", test.reply, err)
		}
	}
}

package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// fixture serves scripts in YAML.
type fixture struct {
	t      *testing.T
	url    string
	record bytes.Buffer
}

func serve(t *testing.T, script string) *fixture {
	t.Helper()
	var scripts Scripts
	if err := yaml.Unmarshal([]byte(script), &scripts); err != nil {
		t.Fatal(err)
	}
	for _, replies := range scripts {
		for _, r := range replies {
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	f := &fixture{t: t}
	server := httptest.NewServer(New(scripts, &f.record))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// ask sends a request and returns the status and the body, as far as it came.
func (f *fixture) ask(body string) (*http.Response, string, error) {
	f.t.Helper()
	response, err := http.Post(f.url+"/v1/messages?beta=true", "application/json", strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(response.Body)
	return response, string(b), err
}

func (f *fixture) served() Served {
	f.t.Helper()
	all, err := ReadServed(&f.record)
	if err != nil || len(all) == 0 {
		f.t.Fatalf("records: %d, %v", len(all), err)
	}
	return all[len(all)-1]
}

const (
	prompt    = `{"model": "m", "stream": true, "tools": [{}, {}], "messages": [{"role": "user", "content": "SCRIPT:main go"}]}`
	noStream  = `{"model": "m", "tools": [{}, {}], "messages": [{"role": "user", "content": [{"type": "text", "text": "SCRIPT:main go"}]}]}`
	toolReply = `main: [{blocks: [{thinking: hm}, {text: go}, {Bash: {command: echo}}], usage: {input_tokens: 3, output_tokens: 50, cache_creation_input_tokens: 7, cache_creation: {ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 5}}`
)

func TestStream(t *testing.T) {
	f := serve(t, toolReply+`}]`)
	response, body, err := f.ask(prompt)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Request-Id") != "req_011Scripted0000000001" {
		t.Fatalf("got %v %v, %v", response.StatusCode, response.Header, err)
	}
	var names []string
	var stopped, started Tokens
	for part := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(part, "event: "), "\ndata: ")
		names = append(names, name)
		var event struct {
			Type    string
			Usage   map[string]any
			Message struct{ Usage map[string]any }
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil || event.Type != name {
			t.Errorf("event %s: %s", name, data)
		}
		switch name {
		case "message_start":
			started = TokensOf(event.Message.Usage)
		case "message_delta":
			stopped = TokensOf(event.Usage)
		}
	}
	const block = "content_block_start content_block_delta content_block_stop "
	want := "message_start content_block_start content_block_delta content_block_delta content_block_stop " + block + block + "message_delta message_stop"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got events %s", got)
	}
	usage := Tokens{"input": 3, "output": 50, "cache_write_5m": 2, "cache_write_1h": 5}
	if !reflect.DeepEqual(stopped, usage) {
		t.Errorf("message_delta: got %v", stopped)
	}
	if started["output"] != 1 || started["input"] != 3 {
		t.Errorf("message_start: got %v", started)
	}
	s := f.served()
	if !s.Complete || s.Kind != Turn || s.Stop != "tool_use" || !reflect.DeepEqual(s.Tools, []string{"Bash"}) || !reflect.DeepEqual(s.Usage, usage) {
		t.Errorf("recorded %+v", s)
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		cut    string
		blocks int
		last   string
	}{
		{"message_start", 0, "message_start"},
		{"content_block_delta 1", 1, "text_delta"},
		{"content_block_stop 2", 3, "content_block_stop"},
	} {
		f := serve(t, toolReply+`, cut: `+test.cut+`}]`)
		_, body, err := f.ask(prompt)
		if !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(body, "message_delta") || !strings.Contains(body, test.last) {
			t.Errorf("%s: got %v after %s", test.cut, err, body)
		}
		if s := f.served(); s.Complete || len(s.Blocks) != test.blocks || s.Start["output"] != 1 {
			t.Errorf("%s: recorded %+v", test.cut, s)
		}
	}
}

func TestErrorEvent(t *testing.T) {
	f := serve(t, toolReply+`, cut: content_block_stop 0, error_event: overloaded_error}]`)
	_, body, err := f.ask(prompt)
	if err != nil || !strings.Contains(body, "event: error\n") || !strings.Contains(body, "overloaded_error") {
		t.Errorf("got %v after %s", err, body)
	}
}

func TestErrors(t *testing.T) {
	f := serve(t, `main: [{status: 429, error: rate_limit_error, headers: {Retry-After: "7"}}]`)
	response, body, err := f.ask(prompt)
	if err != nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "7" || !strings.Contains(body, `"rate_limit_error"`) {
		t.Errorf("got %v %s, %v", response, body, err)
	}
	if s := f.served(); s.Status != 429 || s.IsAnswer() {
		t.Errorf("recorded %+v", s)
	}
}

func TestWithoutStream(t *testing.T) {
	f := serve(t, toolReply+`}]`)
	_, body, err := f.ask(noStream)
	var message map[string]any
	if err := errors.Join(err, json.Unmarshal([]byte(body), &message)); err != nil {
		t.Fatal(err)
	}
	if s := f.served(); message["stop_reason"] != "tool_use" || s.Start["output"] != 50 || !s.Complete {
		t.Errorf("got %s, recorded %+v", body, s)
	}
}

func TestGateways(t *testing.T) {
	for _, test := range []struct{ reply, want, id string }{
		{`blocks: [{text: a}]`, `"id":"msg_01Scripted00000000000001"`, "msg_01Scripted00000000000001"},
		{`blocks: [{text: a}], id: ""`, `"id":""`, ""},
		{`blocks: [{text: a}], id: msg_proxy, model: other`, `"id":"msg_proxy","model":"other"`, "msg_proxy"},
		{`blocks: [{text: a}], start: {input_tokens: 0}`, `"input_tokens":0`, "msg_01Scripted00000000000001"},
	} {
		f := serve(t, `main: [{`+test.reply+`}]`)
		_, body, _ := f.ask(prompt)
		if !strings.Contains(body, test.want) {
			t.Errorf("%s: got %s", test.reply, body)
		}
		if s := f.served(); s.ID != test.id {
			t.Errorf("%s: recorded %+v", test.reply, s)
		}
	}
	f := serve(t, `main: [{blocks: [{text: a}], no_id: true, no_request_id: true}]`)
	response, body, _ := f.ask(prompt)
	if strings.Contains(body, `"id"`) || response.Header.Get("Request-Id") != "" {
		t.Errorf("got %s, %v", body, response.Header)
	}
}

func TestScripts(t *testing.T) {
	f := serve(t, `{main: [{blocks: [{text: one}], repeat: 2}, {blocks: [{text: two}]}], sub: [{blocks: [{text: sub}]}]}`)
	for _, test := range []struct{ prompt, want string }{
		{"SCRIPT:main", "one"}, {"SCRIPT:sub, not SCRIPT:nothing", "sub"}, {"no script", "one"}, {"SCRIPT:main", "two"}, {"SCRIPT:main", "two"},
	} {
		_, body, _ := f.ask(strings.Replace(prompt, "SCRIPT:main go", test.prompt, 1))
		if !strings.Contains(body, `"text":"`+test.want+`"`) {
			t.Errorf("%s: got %s", test.prompt, body)
		}
	}
}

func TestOtherRequests(t *testing.T) {
	f := serve(t, `main: []`)
	response, err := http.Post(f.url+"/v1/messages/count_tokens", "application/json", strings.NewReader(prompt))
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("count_tokens: got %v, %v", response, err)
	}
	if response, err := http.Get(f.url + "/other"); err != nil || response.StatusCode != http.StatusNotFound {
		t.Errorf("other: got %v, %v", response, err)
	}
	if response, _, _ := f.ask("{"); response.StatusCode != http.StatusBadRequest {
		t.Errorf("broken: got %v", response)
	}
	if s := f.served(); s.Status != 400 || s.Kind != "" {
		t.Errorf("recorded %+v", s)
	}
}

// No number is in two answers, so a difference identifies the missing answer.
func TestUnique(t *testing.T) {
	seen := map[string]map[int]bool{}
	for n := range 500 {
		for name, value := range TokensOf(whole(unique(n))) {
			if seen[name] == nil {
				seen[name] = map[int]bool{}
			}
			if seen[name][value] {
				t.Fatalf("%s %d occurs twice", name, value)
			}
			seen[name][value] = true
		}
	}
}

func TestTokensOf(t *testing.T) {
	for _, test := range []struct {
		usage map[string]any
		want  Tokens
	}{
		{nil, Tokens{}},
		{map[string]any{"cache_creation_input_tokens": 9}, Tokens{"cache_write_5m": 9}},
		{map[string]any{"cache_creation_input_tokens": 9.0, "cache_creation": map[string]any{"ephemeral_1h_input_tokens": 7.0, "ephemeral_5m_input_tokens": 2.0}}, Tokens{"cache_write_5m": 2, "cache_write_1h": 7}},
		{map[string]any{"cache_creation_input_tokens": 9, "cache_creation": map[string]any{"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}}, Tokens{"cache_write_5m": 9}},
	} {
		if got := TokensOf(test.usage); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %v", test.usage, got)
		}
	}
}

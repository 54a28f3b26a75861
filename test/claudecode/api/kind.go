package api

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Kinds of requests. Claude Code makes all but Turn on its own.
const (
	Turn       = "turn"
	Compaction = "compaction"
	WebSearch  = "web search"
	BashCheck  = "bash check" // the prefix or the paths of a command
	Topic      = "topic"
	Title      = "title"
	Suggestion = "suggestion"
	Summary    = "summary"
	Warmup     = "warmup"
	Quota      = "quota"
	Other      = "other"
)

// A request holds the relevant parts of a request.
type request struct {
	Model     string           `json:"model"`
	Stream    bool             `json:"stream"`
	System    texts            `json:"system"`
	Messages  []message        `json:"messages"`
	Tools     []map[string]any `json:"tools"`
	MaxTokens int              `json:"max_tokens"`
}

type message struct {
	Role    string `json:"role"`
	Content texts  `json:"content"`
}

// texts are the texts of a content, which is a string or a list of blocks.
type texts string

func (t *texts) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*t = texts(text)
		return nil
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &blocks); err != nil {
		return err
	}
	for _, block := range blocks {
		*t += texts(block.Text + "\n")
	}
	return nil
}

var marker = regexp.MustCompile(`SCRIPT:(\w+)`)

// script returns the name of the last script in the first prompt that names one.
func (r request) script(known Scripts) string {
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		name := ""
		for _, match := range marker.FindAllStringSubmatch(string(m.Content), -1) {
			if known[match[1]] != nil {
				name = match[1]
			}
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// kind returns the purpose of a request. It searches the prompts of Claude Code for
// single words where the structure of a request is not enough.
func (r request) kind(script string) string {
	system, last := strings.ToLower(string(r.System)), ""
	if len(r.Messages) > 0 {
		last = strings.TrimSpace(strings.ToLower(string(r.Messages[len(r.Messages)-1].Content)))
	}
	has := func(text string, words ...string) bool {
		for _, word := range words {
			if !strings.Contains(text, word) {
				return false
			}
		}
		return true
	}
	alone := len(r.Tools) == 0
	switch {
	case last == "quota":
		return Quota
	case last == "warmup":
		return Warmup
	case strings.HasPrefix(last, "[suggestion mode"):
		return Suggestion
	case has(last, "detailed summary", "conversation"):
		return Compaction
	case len(r.Tools) == 1 && has(toolType(r.Tools[0]), "web_search"):
		return WebSearch
	case alone && has(system, "isnewtopic"):
		return Topic
	case alone && len(r.Messages) == 1 && (has(system+last, "filepaths") || has(system+last, "command", "prefix")):
		return BashCheck
	case len(r.Tools) < 2 && has(system[:min(len(system), 1500)], "title"):
		return Title
	case alone && has(system[:min(len(system), 600)], "summar"):
		return Summary
	case script != "" || len(r.Tools) > 1:
		return Turn
	default:
		return Other
	}
}

func toolType(tool map[string]any) string {
	t, _ := tool["type"].(string)
	return t
}

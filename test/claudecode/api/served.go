package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Served is the record of one request and its response.
type Served struct {
	Time      time.Time `json:"time"`
	Path      string    `json:"path"`
	Kind      string    `json:"kind,omitempty"`
	Script    string    `json:"script,omitempty"`
	Index     int       `json:"index"` // of the reply in the script
	RequestID string    `json:"request_id,omitempty"`
	Messages  int       `json:"messages,omitempty"`
	ToolSet   int       `json:"tool_set,omitempty"` // number of tools that the model may use
	Stream    bool      `json:"stream,omitempty"`
	Attempt   string    `json:"attempt,omitempty"`
	Status    int       `json:"status"`
	Error     string    `json:"error,omitempty"`

	// Of an answer:
	ID       string   `json:"id,omitempty"`
	Model    string   `json:"model,omitempty"`
	Stop     string   `json:"stop,omitempty"`
	Usage    Tokens   `json:"usage,omitempty"`
	Start    Tokens   `json:"start,omitempty"`    // as message_start states them
	Complete bool     `json:"complete,omitempty"` // including message_delta
	Blocks   []string `json:"blocks,omitempty"`   // types of the blocks that were sent to their end
	Tools    []string `json:"tools,omitempty"`    // tools that these blocks call
	Searches int      `json:"searches,omitempty"`
}

// IsAnswer reports whether a message was sent, at least its beginning.
func (s Served) IsAnswer() bool { return s.Usage != nil }

// ReadServed reads the records that a server wrote.
func ReadServed(r io.Reader) (all []Served, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s Served
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("read what was served: %w", err)
		}
		all = append(all, s)
	}
	return all, lines.Err()
}

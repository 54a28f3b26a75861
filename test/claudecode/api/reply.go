package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Scripts are the replies of each script, by its name. A request whose first prompt
// contains "SCRIPT:NAME" gets the replies of NAME in order; the last reply is repeated.
type Scripts map[string][]Reply

// A Reply describes an answer. Without anything stated it is complete, has ids and
// usage of its own, and is sent at once.
type Reply struct {
	Blocks      []Block        `yaml:"blocks"`
	Stop        string         `yaml:"stop"` // tool_use or end_turn
	StopDetails map[string]any `yaml:"stop_details"`
	Usage       map[string]any `yaml:"usage"` // numbers that occur once
	Start       map[string]any `yaml:"start"` // replaces numbers in the usage of message_start

	ID          *string `yaml:"id"`            // the message's id, also an empty one
	NoID        bool    `yaml:"no_id"`         // the message has no id
	NoRequestID bool    `yaml:"no_request_id"` // the header is missing
	Model       string  `yaml:"model"`         // the requested model

	Status  int               `yaml:"status"` // any status but 200 is an error
	Error   string            `yaml:"error"`
	Message string            `yaml:"message"`
	Headers map[string]string `yaml:"headers"`

	Cut        string `yaml:"cut"`         // the connection ends after this event, such as "content_block_delta 1"
	ErrorEvent string `yaml:"error_event"` // the type of an error that is sent there instead

	Delay   time.Duration `yaml:"delay"`    // before the answer
	Pace    time.Duration `yaml:"pace"`     // after each event
	EndPace time.Duration `yaml:"end_pace"` // after the last block, before message_delta
	Repeat  int           `yaml:"repeat"`   // how many requests get this reply
}

// expand repeats the replies that are to be repeated.
func expand(replies []Reply) (all []Reply) {
	for _, r := range replies {
		for range max(1, r.Repeat) {
			all = append(all, r)
		}
	}
	return all
}

// A Block is a content block as the API sends it. In a scenario it is "text: TEXT",
// "thinking: TEXT", "raw: BLOCK", or the name of a tool with its input.
type Block map[string]any

// UnmarshalYAML reads the short notation.
func (b *Block) UnmarshalYAML(node *yaml.Node) error {
	var short map[string]any
	if err := node.Decode(&short); err != nil {
		return err
	}
	if len(short) != 1 {
		return fmt.Errorf("line %d: expected a block with one key", node.Line)
	}
	for key, value := range short {
		switch key {
		case "text", "thinking":
			*b = Block{"type": key, key: fmt.Sprint(value)}
		case "raw":
			raw, ok := value.(map[string]any)
			if !ok || raw["type"] == nil {
				return fmt.Errorf("line %d: expected a raw block with a type", node.Line)
			}
			*b = raw
		default:
			*b = Block{"type": toolUse, "name": key, "input": value}
		}
	}
	return nil
}

const toolUse = "tool_use"

// Type returns the block's type.
func (b Block) Type() string { return fmt.Sprint(b["type"]) }

func (r Reply) stop() string {
	switch isTool := func(b Block) bool { return b.Type() == toolUse }; {
	case r.Stop != "":
		return r.Stop
	case slices.ContainsFunc(r.Blocks, isTool):
		return toolUse
	default:
		return "end_turn"
	}
}

// Check returns an error if a reply contradicts itself.
func (r Reply) Check() error {
	if r.Status != 0 && r.Status != 200 && len(r.Blocks) > 0 {
		return errors.New("an error has no blocks")
	}
	if r.ErrorEvent != "" && r.Cut == "" {
		return errors.New("error_event needs cut")
	}
	if r.Cut == "" {
		return nil
	}
	for _, e := range r.events(r.message("", "", nil), nil) {
		if e.place == r.Cut {
			return nil
		}
	}
	return fmt.Errorf("no event %q to cut after; they are message_start, %s", r.Cut, strings.Join([]string{
		"content_block_start N", "content_block_delta N", "content_block_stop N", "message_delta",
	}, ", "))
}

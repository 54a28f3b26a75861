package corpus

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed format.yaml
var formatYAML []byte

// A format says what each version of Claude Code writes. See format.yaml.
type format struct {
	Words, Nouns, Folders, Extensions []string
	Texts                             map[string][]string
	Sizes                             map[string]*quantiles
	Eras                              []era
	Providers                         []provider
	Responses, Closings               []shape
	Tools                             []tool
	Prompts                           []prompt
	Attachments, Entries, Failures    []row
	Openings, Afterwards              []row // before the first request, and after its response
	Templates                         map[string]template
}

// loadFormat parses the embedded file once. It panics if that is invalid, which the
// tests of this package rule out.
var loadFormat = sync.OnceValue(func() *format {
	var f format
	decoder := yaml.NewDecoder(bytes.NewReader(formatYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		panic(fmt.Errorf("parse format.yaml: %w", err))
	}
	return &f
})

// A frequency says how common a row is, and which versions have it.
type frequency struct {
	Weight        int     // against the other rows of the table
	Percent       float64 // of the occasions
	Since, Before version // 0: no limit
}

func (o *frequency) in(n version) bool { return n >= o.Since && (o.Before == 0 || n < o.Before) }

func (o *frequency) weightIn(n version) int {
	if o.in(n) {
		return o.Weight
	}
	return 0
}

// An era is a time in which messages were written in the same ways.
type era struct {
	frequency `yaml:",inline"`
	From, To  time.Time
	Versions  []version
	Models    []string
	Main, Sub []share // the streams of sessions and, if they differ, of sub-agents
}

func (e *era) latest() version { return e.Versions[len(e.Versions)-1] }

// A share says how common a stream is: a way to write one response as several entries,
// one per block.
type share struct {
	frequency `yaml:",inline"`
	Stream    string
}

// The streams.
const (
	placeholders  = "placeholders"   // repeats the first, tiny output count, without a stop reason
	unstopped     = "unstopped"      // the true count in all entries, without a stop reason
	growing       = "growing"        // the true count in the last entry, without a stop reason
	lastFinal     = "last_final"     // the true count and the stop reason in the last entry
	allFinal      = "all_final"      // both in every entry
	zeroFirst     = "zero_first"     // a gateway begins with input counts of zero
	estimateFirst = "estimate_first" // a gateway begins with an estimate that is too high
)

// A provider is the API or a gateway in front of it.
type provider struct {
	frequency     `yaml:",inline"`
	Message, Tool template // their ids
	Request       bool     // entries have a requestId
	Constant      bool     // all messages have the same id, and calls have those of others
	Models        []string // nil: those of the era
	Streams       []share  // nil: those of the era
}

func (p *provider) gateway() bool { return p.Models != nil }

func (p provider) constant() bool { return p.Constant }

// withoutIDs returns whether messages have no id.
func (p provider) withoutIDs() bool {
	return len(p.Message) == 1 && p.Message[0].literal == "" && p.Message[0].fill == nil
}

// A shape is the number of blocks of each kind in a response.
type shape struct {
	frequency             `yaml:",inline"`
	Thinking, Text, Calls int
}

// A tool is one that the model can call.
type tool struct {
	frequency             `yaml:",inline"`
	Name                  string
	Input, Result, Detail template
	Time                  string // a size: milliseconds until the result; empty: a sub-agent does the work
	List                  bool   // the result is a list of blocks
	MainOnly              bool   `yaml:"main_only"` // sub-agents do not have it
	Progress              []row
}

// A prompt is a way in which a "user" entry may come about.
type prompt struct {
	frequency `yaml:",inline"`
	Kind      string // empty if no person sent it
	Content   template
	Keys      string   // further keys of the entry
	Answers   bool     // the model responds
	Then      template // what Claude Code adds by itself
}

// A row is an entry, or a way in which a tool call fails.
type row struct {
	frequency    `yaml:",inline"`
	Kind, Layout string   // of the entry
	Type         string   // of a note, or the subtype
	JSON, Keys   template // Keys follow the entry, or the detail of a failure
	Class        string   // of a failure
	Text         template // of a failure
	EachSecond   bool     `yaml:"each_second"` // progress that is repeated
	Alarm        bool     // it is unknown and might have to be counted
}

// A version of Claude Code; later ones are greater.
type version int

func v(major, minor, patch int) version { return version(major*1_000_000 + minor*1_000 + patch) }

func (n version) String() string {
	return fmt.Sprintf("%d.%d.%d", int(n)/1_000_000, int(n)/1_000%1_000, int(n)%1_000)
}

func (n *version) UnmarshalText(b []byte) error {
	var major, minor, patch int
	if _, err := fmt.Sscanf(string(b), "%d.%d.%d", &major, &minor, &patch); err != nil {
		return fmt.Errorf("parse version %q: %w", b, err)
	}
	*n = v(major, minor, patch)
	return nil
}

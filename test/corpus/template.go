package corpus

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A template is JSON with placeholders, as format.yaml describes them.
type template []part

// A part is some JSON with the placeholder that follows.
type part struct {
	literal         string
	fill, value     func(*transcript, *scope, *part) // write the placeholder, and the placeholder of a condition
	name, arg       string
	choices         []string
	slot            int // -1: none
	low, high       int
	percent         float64
	since           version
	then, otherwise template
}

// A scope holds the arguments of a template, and what it saves.
type scope struct {
	arg        string
	kind       string // of the entry
	layout     string // of the entry; empty: the layout of its kind
	id         string // of the tool call
	at         int64  // when that was made
	callee     *transcript
	body, tail func()
	message    *message
	usage      *usage
	stop       string
	bare       bool // the usage has no counts of the cache
	saved      [len(slotNames)]span
}

// The slots of what templates save.
const (
	savedPath = iota
	savedOld
	savedNew
	savedText
	savedMessage
)

var slotNames = [...]string{"path", "old", "new", "text", "message"}

func (t *transcript) write(tp template, k *scope) {
	for i := range tp {
		p := &tp[i]
		t.b = append(t.b, p.literal...)
		if p.fill != nil {
			p.fill(t, k, p)
		}
	}
}

// named returns a function that writes a row of the templates with an argument.
func (t *transcript) named(name, arg string) func() {
	return func() { t.write(t.Templates[name], &scope{arg: arg}) }
}

// text returns what a template writes, apart from the transcript.
func (t *transcript) text(tp template, k *scope) string {
	from := len(t.b)
	t.write(tp, k)
	text := string(t.b[from:])
	t.b = t.b[:from]
	return text
}

var lineBreak = regexp.MustCompile("\n *")

func (tp *template) UnmarshalText(b []byte) error {
	source := lineBreak.ReplaceAllString(string(b), "")
	var stop string
	if *tp, stop = parse(&source); stop != "" {
		return fmt.Errorf("unexpected %s in %s", stop, b)
	}
	return nil
}

// parse parses everything up to the next end or else, and returns which it is. It
// panics if an argument is invalid.
func parse(source *string) (tp template, stop string) {
	for {
		literal, rest, found := strings.Cut(*source, "%{")
		tag, rest, _ := strings.Cut(rest, "}")
		*source = rest
		p := part{literal: literal}
		if !found || tag == "end" || tag == "else" {
			return append(tp, p), tag
		}
		p.name, p.arg, _ = strings.Cut(tag, " ")
		p.parseArguments()
		switch p.name {
		case "since", "chance", "if", "repeat", "same", "save":
			if p.then, stop = parse(source); stop == "else" {
				p.otherwise, _ = parse(source)
			}
		}
		tp = append(tp, p)
	}
}

func (p *part) parseArguments() {
	var err error
	words := strings.Fields(p.arg + " 0 0")
	p.choices = strings.Split(p.arg, "|")
	p.slot = slices.Index(slotNames[:], strings.TrimPrefix(words[0], "="))
	if p.fill = fills[p.name]; p.fill == nil {
		p.fill = fillNamed
	}
	switch p.name {
	case "if":
		p.value = fills[p.arg]
	case "since":
		err = p.since.UnmarshalText([]byte(p.arg))
	case "chance":
		p.percent, err = strconv.ParseFloat(p.arg, 64)
	case "length":
		p.low, err = strconv.Atoi(words[1])
	case "usage":
		p.low = slices.Index(usageNames[:], p.arg)
	case "number":
		_, err = fmt.Sscan(p.arg, &p.low, &p.high)
	default:
		p.low, _ = strconv.Atoi(words[0]) // otherwise it is the name of a size
	}
	if err != nil {
		panic(fmt.Errorf("parse %q: %w", p.name+" "+p.arg, err))
	}
}

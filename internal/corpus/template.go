package corpus

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A template is JSON with placeholders. The syntax is described in format.yaml.
type template struct {
	source string
	parts  []part
}

// A part writes a piece of a template.
type part func(t *transcript, c *scope)

func (tp *template) UnmarshalText(b []byte) error {
	lines := strings.Split(string(b), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " ")
	}
	tp.source = strings.Join(lines, "")
	return nil
}

// write writes a template. The call holds its arguments and what it saves.
func (t *transcript) write(tp *template, c *scope) *buffer {
	for _, p := range tp.parts {
		p(t, c)
	}
	return &t.buffer
}

// named returns a function that writes a row of the templates with an argument.
func (t *transcript) named(name, arg string) func() {
	return func() { t.write(t.Templates[name], &scope{arg: arg}) }
}

// text returns what a template writes, apart from the transcript.
func (t *transcript) text(tp *template) string {
	scratch := &transcript{generator: t.generator, settings: t.settings}
	return string(scratch.write(tp, &scope{}).b)
}

// compile returns a template with its parts. It panics if the source is invalid.
func (f *format) compile(source string) template {
	parts, stop := (&compiler{f, source}).parts()
	if stop != "" {
		panic("unexpected " + stop + " in " + source)
	}
	return template{source, parts}
}

// compileAll compiles all templates below a value.
func (f *format) compileAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if tp, ok := reflect.TypeAssert[*template](v.Addr()); ok {
			*tp = f.compile(tp.source)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.compileAll(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.compileAll(v.Index(i))
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			f.compileAll(value)
		}
	case reflect.Pointer:
		f.compileAll(v.Elem())
	}
}

// A compiler turns the source of a template into parts.
type compiler struct {
	*format
	rest string
}

// parts compiles everything up to the next end or else, and returns which it is.
func (c *compiler) parts() (parts []part, stop string) {
	for {
		literal, rest, found := strings.Cut(c.rest, "%{")
		if literal != "" {
			parts = append(parts, func(t *transcript, _ *scope) { t.raw(literal) })
		}
		if !found {
			return parts, ""
		}
		var tag string
		tag, c.rest, _ = strings.Cut(rest, "}")
		if tag == "end" || tag == "else" {
			return parts, tag
		}
		name, args, _ := strings.Cut(tag, " ")
		parts = append(parts, c.part(name, args))
	}
}

// block compiles the parts up to the end that belongs to a placeholder.
func (c *compiler) block() (then, otherwise *template) {
	parts, stop := c.parts()
	then, otherwise = &template{parts: parts}, &template{}
	if stop == "else" {
		otherwise.parts, _ = c.parts()
	}
	return then, otherwise
}

func (c *compiler) part(name, args string) part {
	first, second, _ := strings.Cut(args, " ")
	switch name {
	case "since", "chance", "if":
		return c.conditional(name, args)
	case "repeat":
		size := c.size(args)
		element, _ := c.block()
		return func(t *transcript, k *scope) {
			for i := range size(t, k) {
				t.comma(i)
				t.write(element, k)
			}
		}
	case "save":
		slot := slotOf(args)
		saved, _ := c.block()
		return func(t *transcript, k *scope) {
			from := len(t.b)
			t.write(saved, k)
			k.saved[slot] = span{from, len(t.b)}
		}
	case "again":
		slot := slotOf(args)
		return func(t *transcript, k *scope) { t.again(k.saved[slot]) }
	case "length":
		slot, divisor := slotOf(first), number(second)
		return func(t *transcript, k *scope) { t.num(k.saved[slot].len() / divisor) }
	case "pick":
		choices := strings.Split(args, "|")
		return func(t *transcript, _ *scope) { t.raw(pick(t.rng, choices...)) }
	case "number":
		low, high := number(first), number(second)
		return func(t *transcript, _ *scope) { t.num(t.between(low, high)) }
	case "hex", "id":
		digits, n := map[string]string{"hex": hexDigits, "id": base62Digits}[name], number(args)
		return func(t *transcript, _ *scope) { t.raw(t.digits(digits, n)) }
	case "base64":
		size := c.size(args)
		return func(t *transcript, k *scope) { t.b = t.texts.appendBase64(t.b, t.rng, size(t, k)) }
	}
	if write := parts()[name]; write != nil {
		return write
	}
	if value := names()[name]; value != nil {
		return func(t *transcript, k *scope) { t.raw(value(t, k)) }
	}
	if value := numbers()[name]; value != nil {
		return func(t *transcript, k *scope) { t.num(value(t, k)) }
	}
	if tp := c.Templates[name]; tp != nil {
		return func(t *transcript, k *scope) { t.write(tp, k) }
	}
	size := c.size(args)
	return func(t *transcript, k *scope) { t.b = t.texts.kinds[name].appendTo(t.b, t.rng, size(t, k)) }
}

func (c *compiler) conditional(name, arg string) part {
	then, otherwise := c.block()
	var condition func(*transcript, *scope) bool
	switch name {
	case "if":
		value := names()[arg]
		if value == nil {
			panic("unknown condition " + arg)
		}
		condition = func(t *transcript, k *scope) bool { return value(t, k) != "" }
	case "since":
		var limit version
		if err := limit.UnmarshalText([]byte(arg)); err != nil {
			panic(err)
		}
		condition = func(t *transcript, _ *scope) bool { return t.version >= limit }
	case "chance":
		percent, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			panic(err)
		}
		condition = func(t *transcript, _ *scope) bool { return t.chance(percent) }
	}
	return func(t *transcript, k *scope) {
		if condition(t, k) {
			t.write(then, k)
		} else {
			t.write(otherwise, k)
		}
	}
}

// size returns how to find a size: a number, the name of a distribution, or the length
// of a saved part.
func (c *compiler) size(arg string) func(*transcript, *scope) int {
	if slot, found := strings.CutPrefix(arg, "="); found {
		n := slotOf(slot)
		return func(_ *transcript, k *scope) int { return k.saved[n].len() }
	}
	if q := c.Sizes[arg]; q != nil {
		return func(t *transcript, _ *scope) int { return q.of(t.rng) }
	}
	n := number(arg)
	return func(*transcript, *scope) int { return n }
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(fmt.Errorf("parse placeholder: %w", err))
	}
	return n
}

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// declarations are the bodies of the types in a file of TypeScript declarations, by
// name. The file is formatted as the compiler writes it: a member of a type begins its
// line, and a declaration ends where the next one begins.
type declarations map[string]string

var (
	comment     = regexp.MustCompile(`(?s)/\*.*?\*/`)
	declaration = regexp.MustCompile(`(?m)^(?:export )?declare `)
	typeName    = regexp.MustCompile(`^type (\w+)(?:<[^=]*>)? = `)
	member      = regexp.MustCompile(`(?m)^ {4}(\w+)\??: `)
	literal     = regexp.MustCompile(`'([^']*)'`)
	typeUnion   = regexp.MustCompile(`^[\w.|\s]+;?\s*$`)
)

func parse(text string) declarations {
	d := make(declarations)
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, part := range declaration.Split(comment.ReplaceAllLiteralString(text, ""), -1) {
		if at := typeName.FindStringSubmatchIndex(part); at != nil {
			d[part[at[2]:at[3]]] = part[at[1]:]
		}
	}
	return d
}

var errMissing = errors.New("not declared any more")

// strings returns the strings that a type allows or, if a key is given, the first of
// its members with that key, at any depth.
func (d declarations) strings(name, key string) ([]string, error) {
	body, ok := d[name]
	if key != "" {
		at := regexp.MustCompile(`(?m)^ +` + key + `\??: .*`).FindString(body)
		body, ok = at, at != ""
	}
	var values []string
	for _, found := range literal.FindAllStringSubmatch(body, -1) {
		values = append(values, found[1])
	}
	if !ok || len(values) == 0 {
		return nil, fmt.Errorf("%s %s: %w", name, key, errMissing)
	}
	return values, nil
}

// members returns the names of the members of a type.
func (d declarations) members(name string) ([]string, error) {
	var names []string
	for _, found := range member.FindAllStringSubmatch(d[name], -1) {
		names = append(names, found[1])
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errMissing)
	}
	return names, nil
}

// objects returns the names of the object types in a union of types and of unions.
func (d declarations) objects(union string) ([]string, error) {
	body, ok := d[union]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: %w", union, errMissing)
	case !typeUnion.MatchString(body):
		return []string{union}, nil
	}
	var names []string
	for part := range strings.SplitSeq(strings.Trim(body, "; \n"), "|") {
		part = strings.TrimSpace(part)
		inner, err := d.objects(part[strings.LastIndex(part, ".")+1:])
		if err != nil {
			return nil, err
		}
		names = append(names, inner...)
	}
	return names, nil
}

// stream returns the types of the lines of a stream, and the subtypes of "system"
// lines.
func (d declarations) stream() (types, subtypes []string, err error) {
	names, err := d.objects("StdoutMessage")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		typ, err := d.strings(name, "type")
		if err != nil {
			return nil, nil, err
		}
		types = append(types, typ...)
		if typ[0] != "system" {
			continue
		}
		subtype, err := d.strings(name, "subtype")
		if err != nil {
			return nil, nil, err
		}
		subtypes = append(subtypes, subtype...)
	}
	return types, subtypes, nil
}

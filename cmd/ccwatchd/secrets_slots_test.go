package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	promconfig "github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/config"
)

// canary is the secret that these tests search for.
const canary = "canary7a0b9"

// A slot is a key of remote_write, at any depth. Lists have a single item, and maps a
// single key.
type slot struct {
	path []string
	leaf bool // without keys below it
}

func (s slot) String() string { return strings.Join(s.path, ".") }

const (
	anyItem = "[]"
	anyName = "x_key"
)

// slots returns every key of remote_write, including those added later.
func slots() []slot {
	var all []slot
	addSlots(&all, reflect.TypeFor[config.RemoteWrite](), nil)
	return all
}

func addSlots(all *[]slot, t reflect.Type, path []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	add := func(t reflect.Type, name string) { addSlots(all, t, append(slices.Clone(path), name)) }
	leaf := false
	switch {
	case t == reflect.TypeFor[promconfig.URL]():
		leaf = true
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			switch name, options, _ := strings.Cut(f.Tag.Get("yaml"), ","); {
			case options == "inline":
				addSlots(all, f.Type, path)
			case name != "" && name != "-":
				add(f.Type, name)
			}
		}
	case t.Kind() == reflect.Map:
		add(t.Elem(), anyName)
	case t.Kind() == reflect.Slice:
		add(t.Elem(), anyItem)
	default:
		leaf = true
	}
	isInline := slices.ContainsFunc(*all, func(s slot) bool { return slices.Equal(s.path, path) })
	if len(path) > 0 && !isInline {
		*all = append(*all, slot{path, leaf})
	}
}

// put sets the value of a slot in a document.
func put(into map[string]any, path []string, value any) {
	name, rest := path[0], path[1:]
	lists := 0
	for len(rest) > 0 && rest[0] == anyItem {
		lists, rest = lists+1, rest[1:]
	}
	if len(rest) > 0 {
		below, ok := into[name].(map[string]any)
		if !ok {
			below = make(map[string]any)
		}
		put(below, rest, value)
		value = below
	}
	for range lists {
		value = []any{value}
	}
	into[name] = value
}

// placeholder marks a slot in a document.
const placeholder = "PLACEHOLDER"

// endpointWith returns an endpoint with a value in a slot, plus the keys that make it
// valid.
func endpointWith(s slot, value any, address string) map[string]any {
	e := map[string]any{"url": address}
	key := s.String()
	for begin, beside := range map[string]map[string]any{
		"oauth2":                      {"client_id": canary, "client_secret": canary, "token_url": "http://127.0.0.1:1/" + canary},
		"oauth2.proxy_connect_header": {"proxy_url": "http://127.0.0.1:1"},
		"oauth2.no_proxy":             {"proxy_url": "http://127.0.0.1:1"},
		"proxy_connect_header":        {"proxy_url": "http://127.0.0.1:1"},
		"no_proxy":                    {"proxy_url": "http://127.0.0.1:1"},
	} {
		if !strings.HasPrefix(key, begin) {
			continue
		}
		section := e
		if strings.HasPrefix(begin, "oauth2") {
			if e["oauth2"] == nil {
				e["oauth2"] = make(map[string]any)
			}
			section, _ = e["oauth2"].(map[string]any)
		}
		maps.Copy(section, beside)
	}
	if strings.Contains(key, "client_secret_") {
		section, _ := e["oauth2"].(map[string]any)
		delete(section, "client_secret")
	}
	put(e, s.path, value)
	return e
}

func configuration(t testing.TB, endpoints ...map[string]any) string {
	t.Helper()
	b, err := yaml.Marshal(map[string]any{"remote_write": endpoints})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// misfits returns YAML texts with a secret, mostly invalid in every slot.
func misfits(t testing.TB) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), canary)
	writeFile(t, file, canary)
	all := map[string]string{
		"a text": canary, "a number of it": "7" + canary, "an existing file": file, "a list": "[" + canary + "]", "a list of lists": "[[" + canary + "]]",
		"a key": "{key: " + canary + "}", "a key without a value": "{" + canary + "}", "keys in keys": "{%s: {%s: %s}}", "a key and a value": "{%s=%s}",
		"a URL": "http://ann:%s@127.0.0.1:1/%s?%s#%s", "a URL with a bad port": "http://ann:%s@h:%s/", "a URL with a bad escape": "http://h/%%zz%s", "a URL with a bad host": "http://[%s]/",
		"a URL with a misplaced @": "http://ann:1/%s@h", "no scheme": "//ann:%s@h", "an odd scheme": "%s://h", "only a password": "ann:%s@h:1",
		"a number by its tag": "!!int %s", "an odd tag": "!%s %s", "binary": "!!binary %s!", "an alias": "*%s", "an anchor": "&%s [*%s]", "a merge": "{<<: %s}",
		"a key twice": "{%s: 1, %s: 2}", "a key of an odd type": "{[%s]: %s}", "lines": "|\n      %s\n      %s\n", "an unclosed quote": `"%s`, "an unclosed list": "[%s", "too many colons": "%s: %s: %s",
		"a tab": "\n\t%s: %s", "a directive": "%%%s", "a reserved character": "@%s", "a bad escape": `"\q%s"`, "a control character": "%s\x01", "bad UTF-8": "%s\xff", "another document": "%s\n---\n%s",
		"a bad indent": "%s\n  %s\n %s",
	}
	for name, text := range all {
		if n := strings.Count(text, "%s"); n > 0 {
			all[name] = fmt.Sprintf(text, slices.Repeat([]any{canary}, n)...)
		}
	}
	return all
}

// rawValue returns the value of a YAML text.
func rawValue(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

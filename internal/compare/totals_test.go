package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The exposition and the truth in testdata say the same.
func TestTotals(t *testing.T) {
	truth := tokens{Input: 139, Output: 2009, CacheWrite: 1358, CacheRead: 90062}
	for _, test := range []struct {
		file string
		read func(io.Reader) (tokens, error)
		want tokens
	}{
		{"exposition.txt", expositionTokens, truth},
		{"ccusage.json", ccusageTokens, tokens{Input: 8960, Output: 786, CacheWrite: 1363, CacheRead: 52997}},
		{"jq.json", jqTokens, tokens{Input: 8984, Output: 1780, CacheWrite: 4742, CacheRead: 70709}},
	} {
		t.Run(test.file, func(t *testing.T) {
			got, err := test.read(strings.NewReader(sampleFile(t, test.file)))
			if err != nil || got != test.want {
				t.Errorf("%+v, error %v, want %+v", got, err, test.want)
			}
		})
	}
	got, err := readTruth(filepath.Join("testdata", "expected.tsv"))
	if err != nil || got == nil || *got != truth {
		t.Errorf("truth: %+v, error %v, want %+v", got, err, truth)
	}
}

func TestTotalsThatCannotBeRead(t *testing.T) {
	for _, test := range []struct {
		name string
		read func(io.Reader) (tokens, error)
		text string
		want string // the beginning of the error
	}{
		{"ccusage says nothing", ccusageTokens, "", "parse the report: EOF"},
		{"ccusage shows a table", ccusageTokens, "Date  Tokens", "parse the report: invalid character"},
		{"ccusage has another format", ccusageTokens, `{"daily":[]}`, "the report has no totals"},
		{"ccusage finds nothing", ccusageTokens, `{"daily":[],"totals":{}}`, ""},
		{"jq fails in the middle", jqTokens, `{"input_tokens":1}{`, "parse the sums: unexpected EOF"},
		{"jq finds no files", jqTokens, "", ""},
		{"ccwatchd shows no exposition", expositionTokens, "<html>\n", "parse the exposition: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.read(strings.NewReader(test.text))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("error %v, want none", err)
			case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
				t.Errorf("error %v, want %s", err, test.want)
			case got != tokens{}:
				t.Errorf("%+v, want nothing", got)
			}
		})
	}
}

func sampleFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

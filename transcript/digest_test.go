package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Digests are persisted, so they must never change.
func TestKeysAreStable(t *testing.T) {
	equal(t, "two parts", KeyOf("uuid", "u"), Key{65, 204, 38, 45, 239, 158, 13, 238})
	prompt := parseOne(t, `{"type":"user","timestamp":"now","message":{"content":[{"type":"text","text":"do it","n":[1.50,true,null,{}]},"x"]}}`)
	equal(t, "prompt of blocks", prompt.Prompt.TextKey, Key{25, 219, 207, 101, 22, 221, 170, 132})
}

// All implementations of KeyOf return the same keys, for parts of any length.
func TestKeyImplementationsAgree(t *testing.T) {
	d := newDigester()
	lengths := []int{0, 1, 2, 8, 63, 64, 65, 100, 119, 120, 121, 127, 128, 129, 240, 250, 255, 256, 257, 300, 16383, 16384, 70000}
	for _, a := range lengths {
		for _, b := range lengths {
			kind, id := strings.Repeat("k", a), strings.Repeat("i", b)
			want := KeyOf(kind, id)
			equal(t, "keyOfBytes", keyOfBytes(kind, []byte(id)), want)
			equal(t, "digester.keyOf", d.keyOf(kind, []byte(id)), want)
			d.begin(kind)
			d.add([]byte(id))
			d.add([]byte(kind))
			equal(t, "three parts", d.key(), KeyOf(kind, id, kind))
		}
	}
}

func digestOf(content string) Key {
	c := newCursor([]byte(content))
	return NewParser().canonical(&c)
}

func TestCanonical(t *testing.T) {
	for _, line := range oddLines() {
		if !json.Valid([]byte(line)) {
			continue
		}
		for _, content := range []string{line, `[` + line + `,` + line + `]`, `{"b":` + line + `,"a":[` + line + `],"b":1}`} {
			equal(t, content, digestOf(content), refDigest(refAny([]byte(content))))
		}
	}
	for seed := range uint64(500) {
		m := lineGenerator{choices: randomChoices(seed, 300)}
		if m.shape("any"); json.Valid(m.out) {
			equal(t, string(m.out), digestOf(string(m.out)), refDigest(refAny(m.out)))
		}
	}
}

func TestCanonicalIsUnique(t *testing.T) {
	contents := []string{
		`null`, `true`, `false`, `"true"`, `"null"`, `""`, `0`, `-0`, `0.0`, `"0"`, `1e1`, `1E1`, `10`, `[]`, `{}`, `[[]]`, `[{}]`, `[null]`, `[0]`, `["0"]`,
		`[1,2]`, `[2,1]`, `[[1],2]`, `[[1,2]]`, `[1,[2]]`, `{"a":1}`, `{"a":"1"}`, `{"b":1}`, `{"a":1,"b":1}`, `{"a":{"b":1}}`, `["a",1]`, `[{"a":1},{"b":2}]`, `[{"a":1,"b":2}]`,
	}
	seen := map[Key]string{}
	for _, content := range contents {
		k := digestOf(content)
		if before, ok := seen[k]; ok {
			t.Errorf("%s and %s have the same key", before, content)
		}
		seen[k] = content
	}
}

// The order of members, and the way strings are escaped, do not matter.
func TestCanonicalOrder(t *testing.T) {
	members := []string{`"a":1`, `"b":[{"x":1,"y":2},null]`, `"c":{"d":{"f":1,"e":2}}`, `"":"g"`, `"é":"\ud83d\ude00"`, `"10":10`}
	others := []string{` "\u0061" : 1`, `"\u0062":[ {"y":2,"x":0,"x":1} , null ]`, `"c":{"d":{"e":2,"f":1}}`, `"":"\u0067"`, `"\u00e9":"😀"`, `"10":10`}
	want := digestOf(`{` + strings.Join(members, ",") + `}`)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		equal(t, "shuffled", digestOf(`{`+strings.Join(others, ",")+`}`), want)
		first := []string{`"a":7`, `"c":{}`}
		equal(t, "with members that are repeated later", digestOf(`{`+strings.Join(append(first, others...), ",")+`}`), want)
	}
}

// The last of equal keys wins, even among many.
func TestCanonicalManyKeys(t *testing.T) {
	var early, late []string
	for i := range 100 {
		early = append(early, fmt.Sprintf(`"%d":"early"`, i))
		late = append(late, fmt.Sprintf(`"%d":%d`, i, i))
	}
	want := digestOf(`{` + strings.Join(late, ",") + `}`)
	equal(t, "many keys twice", digestOf(`{`+strings.Join(append(early, late...), ",")+`}`), want)
}

func FuzzCanonical(f *testing.F) {
	for _, line := range oddLines() {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if content = bytes.TrimSpace(content); json.Valid(content) {
			equal(t, string(content), digestOf(string(content)), refDigest(refAny(content)))
		}
	})
}

// An id has the same key whichever was the latest.
func TestLatestKey(t *testing.T) {
	latest := latestKey{kind: "message"}
	for _, id := range []string{"a", "a", "b", "", "b", "", "ab", strings.Repeat("x", maxLatestID), strings.Repeat("x", maxLatestID+1), "a"} {
		for range 2 {
			equal(t, "key of "+id, latest.keyOf([]byte(id)), KeyOf("message", id))
		}
	}
}

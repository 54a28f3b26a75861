package transcript

import (
	"strings"
	"testing"
)

// All accessors, for values of all types.
func TestValues(t *testing.T) {
	values := []string{
		``, `null`, `true`, `false`, `""`, `"a"`, `"\u0000"`, `"null"`, `"1"`, "\"\xff\"", `[]`, `[ ]`, "[\n]", `[null]`, `[0]`, `{}`, "{\t}", `{"a":1}`, `{"code":"x"}`,
		`0`, `-0`, `0.0`, `-0.0e5`, `0e999`, `1`, `-1`, `1.0`, `1e2`, `1E-2`, `0.9`, `1e999`, `-1e999`, `1e-999`, `5e-324`, `2e-324`,
		`99999999999999999`, `999999999999999999`, `100000000000000000`, `1000000000000000000`, `9223372036854775808`, `18446744073709551615`,
		`18446744073709551616`, `9007199254740991`, `9007199254740992`, `9007199254740993`, `9007199254740992.5`, `9007199254740993.0`, `-9007199254740993`,
		`9007199254740991.9`, `90071992547409920e-1`, `0.00000000000000000001`, `1.7976931348623157e308`, `1.7976931348623159e308`,
	}
	for _, text := range values {
		v := rawValue(text)
		o := refObject{"v": []byte(text)}
		if text == "" {
			v, o = nil, nil
		}
		_, number := refNumber(o["v"])
		want, wantOK := o.count("v")
		n, ok := v.count()
		if n != want || ok != wantOK {
			t.Errorf("count of %s = %d, %t, want %d, %t", text, n, ok, want, wantOK)
		}
		equal(t, "count or zero of "+text, v.countOrZero(), want)
		equal(t, text+" is a number", v.isNumber(), number)
		equal(t, text+" is true", v.isTrue(), o.isTrue("v"))
		equal(t, text+" is null", v.isNull(), refIsNull(o["v"]))
		equal(t, text+" is truthy", v.truthy(), refTruthy(o["v"]))
		equal(t, text+" as a string", v.str(), o.str("v"))
		s, ok := v.scalar()
		wantS, wantOK := refScalar(o["v"])
		if s != wantS || ok != wantOK {
			t.Errorf("scalar of %s = %q, %t, want %q, %t", text, s, ok, wantS, wantOK)
		}
		equal(t, text+" is its text", v.is(o.str("v")), strings.HasPrefix(text, `"`))
	}
}

func TestElements(t *testing.T) {
	for _, text := range []string{``, `null`, `{"a":1}`, `"[1]"`, `[]`, `[ ]`, `[1]`, "[ 1 ,\t\"a,b\" , [2,3],{\"a\":[4]} ]", `[[],[],{}]`} {
		want := refList([]byte(text))
		var got []string
		for element := range rawValue(text).elements() {
			got = append(got, string(element))
		}
		equal(t, "number of elements of "+text, len(got), len(want))
		for i := range min(len(got), len(want)) {
			equal(t, "element of "+text, got[i], string(want[i]))
		}
	}
	for element := range rawValue(`[1,2]`).elements() {
		equal(t, "first of several", string(element), "1")
		break
	}
}

func TestPick(t *testing.T) {
	for _, tt := range []struct {
		object, a, b string
		others       bool
	}{
		{``, "", "", false},
		{`null`, "", "", false},
		{`["a",1]`, "", "", false},
		{`{}`, "", "", false},
		{`{ }`, "", "", false},
		{`{"a":1}`, "1", "", false},
		{`{"b" : "x" , "a":[ ]}`, `[ ]`, `"x"`, false},
		{`{"a":1,"a":null}`, "null", "", false},
		{`{"\u0061":1,"A":2}`, "1", "", true},
		{`{"c":{"a":1},"b":true}`, "", "true", true},
		{"{\"a\xff\":1,\"\":2}", "", "", true},
	} {
		var f [2]rawValue
		c := newCursor([]byte(tt.object))
		others := c.pick([]string{"a", "b"}, f[:])
		equal(t, "a of "+tt.object, string(f[0]), tt.a)
		equal(t, "b of "+tt.object, string(f[1]), tt.b)
		equal(t, "others in "+tt.object, others, tt.others)
		equal(t, "member a of "+tt.object, string(rawValue(tt.object).member("a")), tt.a)
		equal(t, "member b of "+tt.object, string(rawValue(tt.object).member("b")), tt.b)
	}
}

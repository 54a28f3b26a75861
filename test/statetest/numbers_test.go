package statetest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A persisted number is in numbers.txt with its meaning: of a table, of a field of a
// row, or of a value. The declarations of values say "persisted" in their comments.
// Calls that code a field are found without a comment.
func TestNumbers(t *testing.T) {
	s := numberScan{T: t, values: make(map[string]string), lines: make(map[string]bool)}
	for _, dir := range []string{"counters", "follow", "ledger", "state/checkpoint", "transcript"} {
		s.scan(dir)
	}
	now := slices.SortedFunc(maps.Keys(s.lines), byNumber)
	if *difftest.Update {
		if err := os.WriteFile("numbers.txt", []byte(strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed := strings.Split(strings.TrimSpace(numbersText), "\n")
	lost := slices.DeleteFunc(slices.Clone(listed), func(line string) bool { return s.lines[line] })
	added := slices.DeleteFunc(now, func(line string) bool { return slices.Contains(listed, line) })
	if len(lost) > 0 {
		t.Errorf(`persisted numbers have another meaning, or none:
	%s
Saved states have the old meaning. Restore the numbers, and give a new table, field or
value the next number. If something was only renamed, or a field is no longer written
and its number stays unused:
	go test ./test/statetest -run Numbers -update`, strings.Join(lost[:min(len(lost), 20)], "\n\t"))
	}
	if len(added) > 0 {
		t.Errorf(`persisted numbers that numbers.txt does not have:
	%s
If their tables, fields or values are new, read "Rules for changes" in
docs/design/state.md, then:
	go test ./test/statetest -run Numbers -update`, strings.Join(added[:min(len(added), 20)], "\n\t"))
	}
}

// A numberScan collects the persisted numbers of packages.
type numberScan struct {
	*testing.T

	dir    string
	values map[string]string // of constants with literal values, by name, in the package
	used   map[string]string // constants by type and value, in the declaration
	lines  map[string]bool
}

func (s *numberScan) scan(dir string) {
	s.Helper()
	s.dir = dir
	clear(s.values)
	paths, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil || len(paths) == 0 {
		s.Fatal(dir, err, fs.ErrNotExist)
	}
	var decls []ast.Decl
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			s.Fatal(err)
		}
		decls = append(decls, file.Decls...)
	}
	for _, d := range decls {
		s.noteConstants(d)
	}
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			s.used = make(map[string]string)
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && (isPersisted(d.Doc) || isPersisted(v.Doc)) {
					s.addValue(d.Tok, v)
				}
			}
		case *ast.FuncDecl:
			s.addFields(d)
			if isPersisted(d.Doc) {
				s.addIndexes(d.Name.Name, d)
			}
		}
	}
}

func isPersisted(doc *ast.CommentGroup) bool { return strings.Contains(doc.Text(), "persisted") }

// noteConstants notes literal constants. They are indexes of lists. Where values are
// persisted, no constant may depend on its position.
func (s *numberScan) noteConstants(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == "iota" && (s.dir == "ledger" || s.dir == "counters") {
				s.Errorf("%s: a constant has the value iota, which moves: use literal numbers", s.dir)
			}
		case *ast.ValueSpec:
			for i, v := range n.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.INT {
					s.values[n.Names[i].Name] = lit.Value
				}
			}
		}
		return true
	})
}

func (s *numberScan) add(format string, args ...any) {
	s.lines[s.dir+" "+fmt.Sprintf(format, args...)] = true
}

// addValue adds the constants or the lists of a declaration.
func (s *numberScan) addValue(tok token.Token, v *ast.ValueSpec) {
	for i, name := range v.Names {
		if i >= len(v.Values) {
			s.Errorf("%s: %s is persisted: it needs a literal number", s.dir, name)
			continue
		}
		if tok == token.VAR {
			s.addIndexes(name.Name, v.Values[i])
			continue
		}
		lit, ok := v.Values[i].(*ast.BasicLit)
		if !ok { // calculated from other constants
			continue
		}
		number := lit.Value
		if v.Type != nil {
			number = types.ExprString(v.Type) + " " + number
		}
		if other, taken := s.used[number]; taken {
			s.Errorf("%s: %s and %s have the number %s", s.dir, other, name, lit.Value)
		}
		if s.used[number] = name.Name; v.Type == nil {
			s.add("%s = %s", name, number)
			continue
		}
		s.add("%s = %s", number, name)
	}
}

// addIndexes adds the elements of the lists in a declaration.
func (s *numberScan) addIndexes(name string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		list, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if _, ok := list.Type.(*ast.ArrayType); !ok {
			return true
		}
		for _, e := range list.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				s.Errorf("%s: %s in %s is persisted: it needs a literal index", s.dir, types.ExprString(e), name)
				continue
			}
			index := types.ExprString(pair.Key)
			s.add("%s[%s] = %s", name, cmp.Or(s.values[index], index), types.ExprString(pair.Value))
		}
		return true
	})
}

var fieldCoder = regexp.MustCompile(`^(table\.|(\w+\.)?code)[A-Z]\w*$`)

// addFields adds the fields that a function codes.
func (s *numberScan) addFields(f *ast.FuncDecl) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 3 || !fieldCoder.MatchString(types.ExprString(call.Fun)) {
			return true
		}
		if c, ok := call.Args[0].(*ast.Ident); ok && c.Name == "c" {
			number, value := types.ExprString(call.Args[1]), types.ExprString(call.Args[2])
			if _, field, ok := strings.Cut(value, "."); ok { // the name of the variable does not matter
				value = field
			}
			s.add("%s field %s = %s %s", f.Name, number, types.ExprString(call.Fun), value)
		}
		return true
	})
}

var digits = regexp.MustCompile(`\d+`)

// byNumber orders lines by their text, and by the value of the first number in it.
func byNumber(a, b string) int {
	x, y := digits.FindStringIndex(a), digits.FindStringIndex(b)
	if x == nil || y == nil || a[:x[0]] != b[:y[0]] {
		return strings.Compare(a, b)
	}
	n, _ := strconv.Atoi(a[x[0]:x[1]])
	m, _ := strconv.Atoi(b[y[0]:y[1]])
	return cmp.Or(n-m, strings.Compare(a, b))
}

package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The lengths of hostile lines whose work is compared.
const (
	shortLength = 1 << 14
	longLength  = 16 * shortLength
)

// Parsing a line of 16 times the length takes about 16 times the work; quadratic work
// would be 256 times as much. The test counts operations, because time depends on the
// load of the machine. To do so, it builds the package a second time with counters in
// all functions and loops, see instrument.
func TestWorkIsLinear(t *testing.T) {
	results := regexp.MustCompile(`(?m)^work (\d+) (\d+) (.+)$`).FindAllStringSubmatch(countWork(t), -1)
	if got, want := len(results), len(hostileLines()); got != want {
		t.Fatalf("%d results, want %d", got, want)
	}
	for _, r := range results {
		short, _ := strconv.Atoi(r[1]) // matched as digits
		long, _ := strconv.Atoi(r[2])
		if short == 0 || long > 2*longLength/shortLength*short {
			t.Errorf("%s: %d bytes take %d operations, %d bytes take %d", r[3], shortLength, short, longLength, long)
		}
	}
}

// countWork builds the package with counters and returns the output of TestCountWork.
func countWork(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, name := range []string{"count.go", "count_test.go"} {
		replace[filepath.Join(dir, "work_"+name)] = filepath.Join(dir, "testdata", "work", name)
	}
	temp := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(temp, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range sources {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "marks_") { // test files, and files without loops
			replace[filepath.Join(dir, name)] = write(name, instrument(t, name))
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := write("overlay.json", overlay)
	out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay="+path, "-vet=off", "-count=1", "-run=^TestCountWork$", "-v", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

var (
	// Functions of the standard library that may stop early. Each has a counting
	// counterpart in testdata/work.
	stopsEarly = []string{
		"bytes.Cut", "bytes.Index", "bytes.IndexByte", "bytes.Trim", "bytes.TrimLeft", "bytes.TrimLeftFunc", "bytes.TrimSpace",
		"strings.Cut", "strings.IndexFunc",
	}
	// Packages whose functions read their first argument to its end, except stopsEarly
	// and the cheap functions, which read a few bytes.
	readsAll = []string{"bytes", "json", "regexp", "sha256", "slices", "strconv", "strings", "utf8"}
	cheap    = regexp.MustCompile(`\.((Has|Cut|Trim)(Prefix|Suffix)|(Decode|Append|Full)?Rune(Len)?|MustCompile|New|DecodeRune|AppendRune|Itoa)$`)
	// Methods of other packages that read their argument.
	readers = []string{"Write", "WriteString", "FindStringSubmatch", "MatchString"}
)

// instrument adds counters to a source file of the package: to every function, to every
// loop, and to calls of the standard library.
func instrument(t *testing.T, name string) []byte {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{} // a replaced function by package, which keeps the import in use
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			countBody(n.Body)
		case *ast.FuncLit:
			countBody(n.Body)
		case *ast.ForStmt:
			countBody(n.Body)
		case *ast.RangeStmt:
			countBody(n.Body)
		case *ast.CallExpr:
			if function := countCall(n); function != "" {
				pkg, _, _ := strings.Cut(function, ".")
				replaced[pkg] = function
			}
		}
		return true
	})
	var b bytes.Buffer
	if err := format.Node(&b, files, f); err != nil {
		t.Fatal(err)
	}
	for _, function := range replaced {
		fmt.Fprintf(&b, "\nvar _ = %s\n", function)
	}
	return b.Bytes()
}

func countBody(body *ast.BlockStmt) {
	if body != nil {
		body.List = slices.Insert(body.List, 0, ast.Stmt(&ast.IncDecStmt{X: ast.NewIdent("work"), Tok: token.INC}))
	}
}

// countCall makes a call count the bytes that it reads. It returns the name of the
// function if it replaces it.
func countCall(call *ast.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	countArg := func(i int) {
		call.Args[i] = &ast.CallExpr{Fun: ast.NewIdent("counted"), Args: []ast.Expr{call.Args[i]}}
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		switch {
		case fun.Name == "string":
			countArg(0)
		case fun.Name == "append" && call.Ellipsis.IsValid(), fun.Name == "copy":
			countArg(1)
		}
	case *ast.SelectorExpr:
		pkg, ok := fun.X.(*ast.Ident)
		if !ok || !slices.Contains(readsAll, pkg.Name) {
			if slices.Contains(readers, fun.Sel.Name) {
				countArg(0)
			}
			return ""
		}
		function := pkg.Name + "." + fun.Sel.Name
		switch {
		case slices.Contains(stopsEarly, function):
			call.Fun = ast.NewIdent(pkg.Name + fun.Sel.Name)
			return function
		case !cheap.MatchString(function):
			countArg(0)
		}
	}
	return ""
}

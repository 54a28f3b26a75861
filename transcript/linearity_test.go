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

// The lengths between which the work of a hostile line is compared.
const (
	shortLength = 1 << 14
	longLength  = 16 * shortLength
)

// A line of sixteen times the length takes sixteen times the work, where quadratic
// work would be 256 times as much. Work is counted instead of time, which depends on
// what else the machine does: the package is built a second time with counters in all
// its functions and loops, see count.
func TestWorkIsLinear(t *testing.T) {
	results := regexp.MustCompile(`(?m)^work (\d+) (\d+) (.+)$`).FindAllStringSubmatch(countWork(t), -1)
	if got, want := len(results), len(hostileLines()); got != want {
		t.Fatalf("%d results, want %d", got, want)
	}
	for _, r := range results {
		short, err := strconv.Atoi(r[1])
		if err != nil {
			t.Fatal(err)
		}
		long, err := strconv.Atoi(r[2])
		if err != nil {
			t.Fatal(err)
		}
		if most := 2 * longLength / shortLength * short; short == 0 || long > most {
			t.Errorf("%s: %d bytes take %d operations, %d bytes %d", r[3], shortLength, short, longLength, long)
		}
	}
}

// countWork builds the package with counters and returns what TestCountWork prints.
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
	counted := t.TempDir()
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		to := filepath.Join(counted, name)
		if err := os.WriteFile(to, count(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(dir, name)] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(counted, "overlay.json")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay="+path, "-vet=off", "-count=1", "-run=^TestCountWork$", "-v", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// Functions of the standard library that stop early, which have a counting twin in
// testdata/work, and packages whose other functions read their first argument to its
// end. Those that look at a few bytes only are not counted.
var (
	stopsEarly = []string{
		"bytes.Cut", "bytes.Index", "bytes.IndexByte", "bytes.Trim", "bytes.TrimLeft", "bytes.TrimLeftFunc", "bytes.TrimSpace",
		"strings.Cut", "strings.IndexFunc",
	}
	readsAll = []string{"bytes", "json", "regexp", "sha256", "slices", "strconv", "strings", "utf8"}
	cheap    = regexp.MustCompile(`\.((Has|Cut|Trim)(Prefix|Suffix)|(Decode|Append|Full)?Rune(Len)?|MustCompile|New|DecodeRune|AppendRune|Itoa)$`)
	// methods of types of other packages that read their argument.
	readers = []string{"Write", "WriteString", "FindStringSubmatch", "MatchString"}
)

// count returns a source file of the package with counters: in every function, in
// every loop, and in front of what the standard library reads.
func count(t *testing.T, name string) []byte {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{} // a function by its package, so that the import stays in use
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			charge(n.Body)
		case *ast.FuncLit:
			charge(n.Body)
		case *ast.ForStmt:
			charge(n.Body)
		case *ast.RangeStmt:
			charge(n.Body)
		case *ast.CallExpr:
			if twin := countCall(n); twin != "" {
				pkg, _, _ := strings.Cut(twin, ".")
				replaced[pkg] = twin
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

func charge(body *ast.BlockStmt) {
	if body != nil {
		body.List = slices.Insert(body.List, 0, ast.Stmt(&ast.IncDecStmt{X: ast.NewIdent("work"), Tok: token.INC}))
	}
}

// countCall has a call count what it reads. It returns the name of a function that it
// replaces.
func countCall(call *ast.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	chargeArg := func(i int) {
		call.Args[i] = &ast.CallExpr{Fun: ast.NewIdent("charged"), Args: []ast.Expr{call.Args[i]}}
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		switch {
		case fun.Name == "string":
			chargeArg(0)
		case fun.Name == "append" && call.Ellipsis.IsValid(), fun.Name == "copy":
			chargeArg(1)
		}
	case *ast.SelectorExpr:
		pkg, ok := fun.X.(*ast.Ident)
		if !ok || !slices.Contains(readsAll, pkg.Name) {
			if slices.Contains(readers, fun.Sel.Name) {
				chargeArg(0)
			}
			return ""
		}
		function := pkg.Name + "." + fun.Sel.Name
		switch {
		case slices.Contains(stopsEarly, function):
			call.Fun = ast.NewIdent(pkg.Name + fun.Sel.Name)
			return function
		case !cheap.MatchString(function):
			chargeArg(0)
		}
	}
	return ""
}

package docs_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

const (
	module   = "github.com/ccwatchd/ccwatchd/"
	mainPath = "cmd/ccwatchd"
)

// TestArchitecture generates the picture of the imports.
func TestArchitecture(t *testing.T) {
	packages := make(map[string][]string)
	load(t, packages, mainPath)
	difftest.Golden(t, "images/architecture.svg", picture(t, packages))
}

// load adds a package and everything it imports from this module, each with its sorted
// imports.
func load(t *testing.T, packages map[string][]string, name string) {
	t.Helper()
	if _, ok := packages[name]; ok {
		return
	}
	files, err := fs.Glob(root, name+"/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", name, err)
	}
	var imports []string
	commented := false
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, moduleImports(t, f)...)
		commented = commented || f.Doc != nil
	}
	if !commented {
		t.Errorf("package %s has no comment", name)
	}
	slices.Sort(imports)
	packages[name] = slices.Compact(imports)
	for _, imported := range packages[name] {
		load(t, packages, imported)
	}
}

// moduleImports returns the imports of a file from this module.
func moduleImports(t *testing.T, f *ast.File) []string {
	t.Helper()
	var names []string
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(name, module); ok {
			names = append(names, name)
		}
	}
	return names
}

// places has the row of each package in the picture, and its column.
var places = map[string]struct{ row, column float64 }{
	mainPath:                {0, 3},
	"daemon":                {1, 1},
	"usage/top":             {1, 2.1},
	"server":                {1, 3.2},
	"usage/backfill":        {1, 4.3},
	"internal/servicecmd":   {1, 5.4},
	"internal/statusline":   {3, 6.4},
	"follow":                {2, 1},
	"state/checkpoint":      {2, 2},
	"usage/report":          {2, 3.1},
	"internal/statusclient": {2, 4.3},
	"packaging":             {2, 5.4},
	"push":                  {2, 6.6},
	"usage/api":             {3, 2.6},
	"usage/web":             {3, 3.8},
	"config":                {3, 5.2},
	"usage/explain":         {3.5, 3.2},
	"watcher":               {4, 0},
	"state":                 {4, 1},
	"usage":                 {4, 2.2},
	"metrics":               {4, 3.3},
	"internal/status":       {4, 4.4},
	"internal/registry":     {4, 5.5},
	"internal/redact":       {4, 6.6},
	"internal/suggest":      {6, 5.4},
	"tailer":                {5, 0.2},
	"ledger":                {5, 1.6},
	"internal/terminal":     {5, 2.85},
	"internal/format":       {5, 4.2},
	"internal/limits":       {5, 5.4},
	"internal/opendir":      {5, 6.6},
	"counters":              {6, 1.6},
	"transcript":            {6, 3},
	"pricing":               {6, 4.2},
	"table":                 {7, 1.2},
	"internal/loopback":     {7, 5.4},
}

// byPlace orders packages as a reader of the picture meets them.
func byPlace(a, b string) int {
	p, q := places[a], places[b]
	return cmp.Or(cmp.Compare(p.row, q.row), cmp.Compare(p.column, q.column), cmp.Compare(a, b))
}

// The sizes of the picture, in pixels.
const (
	boxWidth, boxHeight       = 124, 34
	columnWidth, rowHeight    = 136, 74
	margin                    = 12
	pictureWidth, pictureHigh = 6.6*columnWidth + boxWidth + 2*margin, 7*rowHeight + boxHeight + 2*margin
)

const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" role="img" aria-label="Packages of ccwatchd and their imports">
<!-- Generated from the imports by "make docs". Do not edit. -->
<style>
.back { fill: #ffffff } .box { fill: #eaf2fd; stroke: #3b6fb6 } .internal { fill: #f4f4f4; stroke: #8a8a8a }
text { fill: #1b1f24; font: 14px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle }
line { stroke: #6b7480 } marker path { fill: #6b7480 }
@media (prefers-color-scheme: dark) {
.back { fill: #0d1117 } .box { fill: #14263f; stroke: #5b93dc } .internal { fill: #1c2128; stroke: #7d8590 }
text { fill: #e6edf3 } line { stroke: #9aa4af } marker path { fill: #9aa4af }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="back" width="%[1]g" height="%[2]g" rx="8"/>
`

// picture draws the packages and their direct imports. It omits an import that
// another imported package has too, at any depth.
func picture(t *testing.T, packages map[string][]string) string {
	t.Helper()
	var svg strings.Builder
	fmt.Fprintf(&svg, pictureHead, float64(pictureWidth), float64(pictureHigh))
	names := slices.SortedFunc(maps.Keys(packages), byPlace)
	for _, name := range names {
		from, ok := places[name]
		if !ok {
			t.Fatalf("package %s has no place in the picture: add one to places", name)
		}
		for _, imported := range packages[name] {
			to := places[imported]
			if to.row <= from.row {
				t.Errorf("%s imports %s, which is not below it in the picture", name, imported)
			}
			if !implied(packages, name, imported) {
				x1, y1 := center(from.column), margin+from.row*rowHeight+boxHeight
				x2, y2 := center(to.column), margin+to.row*rowHeight
				fmt.Fprintf(&svg, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" marker-end=\"url(#head)\"/>\n", x1, y1, x2, y2)
			}
		}
	}
	for _, name := range names {
		class, label := "box", name
		if short, ok := strings.CutPrefix(name, "internal/"); ok {
			class, label = "internal", short
		}
		x, y := center(places[name].column), margin+places[name].row*rowHeight
		fmt.Fprintf(&svg, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" rx=\"6\"/>", class, x-boxWidth/2, y, boxWidth, boxHeight)
		fmt.Fprintf(&svg, "<text x=\"%g\" y=\"%g\">%s</text>\n", x, y+boxHeight/2+5, label)
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

// center returns the horizontal center of a column, in whole pixels.
func center(column float64) float64 {
	return float64(int(margin + column*columnWidth + boxWidth/2))
}

// implied reports whether a package imports another one also indirectly.
func implied(packages map[string][]string, name, imported string) bool {
	return slices.ContainsFunc(packages[name], func(via string) bool {
		return slices.Contains(packages[via], imported) || implied(packages, via, imported)
	})
}

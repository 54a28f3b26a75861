package metrics

import (
	"cmp"
	_ "embed" // of the text around the tables
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
)

//go:embed document.md
var documentText string

// Document writes, as Markdown, what each family means and how to read it. The
// options are those of a daemon without configuration, from which the page has
// its defaults.
func Document(w io.Writer, o ledger.Options) error {
	own, err := daemonFamilies()
	if err != nil {
		return err
	}
	var page struct{ Seen, Own, Histograms []documented }
	for _, f := range ledgerFamilies(o) {
		if strings.HasPrefix(f.Name, namespace+"_") {
			own = append(own, f)
		} else {
			page.Seen = append(page.Seen, f)
		}
	}
	slices.SortFunc(own, func(a, b documented) int { return cmp.Compare(a.Name, b.Name) })
	page.Own = own
	for _, f := range slices.Concat(page.Seen, own) {
		if f.Type == "histogram" {
			page.Histograms = append(page.Histograms, f)
		}
	}
	functions := template.FuncMap{"labels": func() []labelRow { return labelRows(o) }, "code": code, "numbers": numbers}
	text, err := template.New("document").Funcs(functions).Parse(documentText)
	if err != nil {
		return fmt.Errorf("parse document: %w", err)
	}
	if err := text.Execute(w, page); err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	return nil
}

// A documented family is one as the page shows it.
type documented struct {
	Name, Help, Type string
	Labels           []string
	Bounds           []float64
}

// Unit is what one of the family's values stands for.
func (d documented) Unit() string {
	switch name := strings.TrimSuffix(d.Name, "_total"); {
	case strings.HasSuffix(name, "_timestamp_seconds"):
		return "Unix time, seconds"
	case strings.HasSuffix(name, "_seconds"):
		return "seconds"
	case strings.HasSuffix(name, "_bytes"):
		return "bytes"
	case strings.HasSuffix(name, "tokens"):
		return "tokens"
	default:
		return ""
	}
}

// ledgerFamilies returns the families that an Exposition shows of its source.
func ledgerFamilies(o ledger.Options) []documented {
	later := liveFamilies()
	var all []documented
	for _, f := range slices.Concat(ledger.Families(o), later[:]) {
		all = append(all, documented{f.Name, f.Help, strings.ToLower(metricType(f.Type).String()), f.Labels, f.Buckets})
	}
	return all
}

// daemonFamilies returns the families of a Daemon, as its registry has them.
// All of them have a series from the start, but for those of endpoints.
func daemonFamilies() ([]documented, error) {
	reg := prometheus.NewRegistry()
	health := NewDaemon(reg)
	health.RemoteWriteSamples.WithLabelValues("")
	health.RemoteWriteFailures.WithLabelValues("", "")
	health.RemoteWriteLastSuccess.WithLabelValues("")
	families, err := reg.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather metrics: %w", err)
	}
	var all []documented
	for _, f := range families {
		d := documented{Name: f.GetName(), Help: f.GetHelp(), Type: strings.ToLower(f.GetType().String())}
		for _, label := range f.GetMetric()[0].GetLabel() {
			d.Labels = append(d.Labels, label.GetName())
		}
		d.Bounds = bounds(f.GetMetric()[0].GetHistogram())
		all = append(all, d)
	}
	return all, nil
}

func bounds(h *dto.Histogram) []float64 {
	var all []float64
	for _, b := range h.GetBucket() {
		all = append(all, b.GetUpperBound())
	}
	return all
}

// code shows each of some words as code.
func code(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "`" + word + "`"
	}
	return strings.Join(quoted, ", ")
}

func numbers(all []float64) string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strings.Join(texts, ", ")
}

package metrics

import (
	"cmp"
	_ "embed" // for documentTemplate
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

//go:embed testdata/document.tmpl
var documentTemplate string

// writeDocument writes docs/metrics.md with the given options: the page shows the
// defaults.
func writeDocument(w io.Writer, o ledger.Options) error {
	daemon, err := daemonFamilies()
	if err != nil {
		return err
	}
	var families struct {
		Claude, Daemon []documentedFamily
	}
	for _, f := range ledgerFamilies(o) {
		if strings.HasPrefix(f.Name, namespace+"_") {
			daemon = append(daemon, f)
		} else {
			families.Claude = append(families.Claude, f)
		}
	}
	slices.SortFunc(daemon, func(a, b documentedFamily) int { return cmp.Compare(a.Name, b.Name) })
	families.Daemon = daemon
	functions := template.FuncMap{"labels": func() []labelRow { return labelRows(o) }, "code": code[string], "row": row}
	page, err := template.New("").Funcs(functions).Parse(documentTemplate)
	if err != nil {
		return fmt.Errorf("parse document template: %w", err)
	}
	if err := page.Execute(w, families); err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	return nil
}

// A documentedFamily is a metric family as the documentation lists it.
type documentedFamily struct {
	Name, Help, Caveat string
	Labels             []string
	Bounds             []float64 // of the classic buckets of a histogram
}

// ledgerFamilies returns the families that an Exposition collects from the ledger.
func ledgerFamilies(o ledger.Options) []documentedFamily {
	families := ledger.Families(o)
	for _, live := range liveGauges(&ledger.Snapshot{}, 0, nil, nil) {
		families = append(families, *live.Family)
	}
	var all []documentedFamily
	for _, f := range families {
		all = append(all, documentedFamily{f.Name, f.Help, f.Caveat, f.Labels, f.Buckets})
	}
	return all
}

// daemonCaveats are the caveats of the families that a Daemon registers. Families of
// the ledger have theirs in counters.Family.
var daemonCaveats = map[string]string{
	"ccwatchd_backlog_bytes":                             "If it stays high, a file is unreadable.",
	"ccwatchd_checkpoint_last_success_timestamp_seconds": "It may be old if little happens.",
	"ccwatchd_compressed_files":                          "[`once`, `report` and `backfill` read them](design/transcripts.md#compressed-files).",
	"ccwatchd_dedup_keys":                                "`retention.dedup_keys` lowers it, and so the memory.",
	"ccwatchd_file_resets_total":                         "`requested` is by [you](operations.md#reading-everything-again).",
	"ccwatchd_files":                                     "It falls if transcripts are deleted or a source is not mounted.",
	"ccwatchd_forgotten_keys_total":                      "Beyond `limits.dedup_keys`, see [the keys of each source](configuration.md#keys-of-each-source).",
	"ccwatchd_line_errors_total":                         "Some are usual after a crash.",
	"ccwatchd_price_table_info":                          "If it is old, update ccwatchd.",
	"ccwatchd_skipped_links":                             "Nothing to do unless sessions are missing.",
	"ccwatchd_unsettled_messages":                        "They count after ten minutes of quiet (`intervals.message_timeout`).",
	"ccwatchd_watch_polling":                             "See [polling](operations.md#without-file-events).",
	"ccwatchd_state_damaged_total":                       "See [the state](operations.md#the-state).",
	"ccwatchd_state_write_blocked":                       "Events keep being counted.",
	"ccwatchd_remote_write_history_samples_total":        "`refused`: allow older samples there.",
}

// daemonFamilies returns the families that a Daemon registers. It creates a series for
// the families of remote-write endpoints, which are missing until then.
func daemonFamilies() ([]documentedFamily, error) {
	reg := prometheus.NewRegistry()
	health := NewDaemon(reg)
	health.RemoteWriteSamples.WithLabelValues("")
	health.RemoteWriteFailures.WithLabelValues("", "")
	health.RemoteWriteLastSuccess.WithLabelValues("")
	health.RemoteWriteHistory.WithLabelValues("", "")
	families, err := reg.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather metrics: %w", err)
	}
	var all []documentedFamily
	for _, f := range families {
		d := documentedFamily{
			Name: f.GetName(), Help: f.GetHelp(), Caveat: daemonCaveats[f.GetName()],
		}
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

// code formats words as a list of code spans.
func code[T ~string](words []T) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "`" + string(word) + "`"
	}
	return strings.Join(quoted, ", ")
}

// row formats a family as a row of a table.
func row(f documentedFamily) string {
	name, text := f.Name, f.Help
	if len(f.Labels) > 0 {
		name += "{" + strings.Join(f.Labels, ",") + "}"
	}
	if f.Caveat != "" {
		text += " " + f.Caveat
	}
	if len(f.Bounds) > 0 {
		text += " Buckets: " + numbers(f.Bounds) + "."
	}
	return fmt.Sprintf("| `%s` | %s |", name, text)
}

func numbers(all []float64) string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strings.Join(texts, ", ")
}

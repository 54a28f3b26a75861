package config

import (
	"errors"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// Pricing configures the prices for the cost metrics.
type Pricing struct {
	// Off disables the cost metrics. In the file, "pricing: off".
	Off bool `yaml:"-"`
	// Multiplier multiplies all prices, except prices with their own multiplier.
	Multiplier *Multiplier `yaml:"multiplier"`
	// Models add prices to the built-in prices, or override them.
	Models []ModelPrice `yaml:"models"`
	// Aliases are the models of ids that do not name their model.
	Aliases map[string]string `yaml:"aliases"`
}

// UnmarshalYAML decodes the word off, or a mapping.
func (p *Pricing) UnmarshalYAML(n *yaml.Node) error {
	type mapping Pricing
	return decodeOff(n, &p.Off, (*mapping)(p))
}

// A ModelPrice is the price of models in a period. Without dates it replaces all
// built-in prices of these models, with dates the built-in prices within its period. A
// model without built-in prices has its first price before its first day, and its last
// price after its last day.
type ModelPrice struct {
	// Models are the ids, which are normalized like those in transcripts.
	Models Strings `yaml:"model"`
	// From is the first day and Until the last, in UTC. Each may be missing.
	From  *Date `yaml:"from"`
	Until *Date `yaml:"until"`

	ModelRates `yaml:",inline"`

	// Multiplier multiplies the prices or, without prices, the built-in prices.
	Multiplier *Multiplier `yaml:"multiplier"`
	// Fast multiplies all rates in fast mode.
	Fast *int `yaml:"fast"`
	// LongPrompt has other rates for requests with a long prompt.
	LongPrompt *LongPrompt `yaml:"long_prompt"`
}

// ModelRates are prices in US dollars per million tokens. All are required, or none.
type ModelRates struct {
	Input        *Rate `yaml:"input"`
	CacheWrite5m *Rate `yaml:"cache_write_5m"`
	CacheWrite1h *Rate `yaml:"cache_write_1h"`
	CacheRead    *Rate `yaml:"cache_read"`
	Output       *Rate `yaml:"output"`
}

// LongPrompt has the rates of requests whose prompt has more than Above tokens.
type LongPrompt struct {
	Above *int `yaml:"above"`

	ModelRates `yaml:",inline"`
}

// A Rate is the price of a token in 10^-12 US dollars. In the file it is in US dollars
// per million tokens.
type Rate uint64

// UnmarshalYAML decodes a decimal number exactly.
func (r *Rate) UnmarshalYAML(n *yaml.Node) error {
	v, err := pricing.ParseRate(n.Value)
	*r = Rate(v)
	return err
}

// A Multiplier is a factor of prices.
type Multiplier pricing.Multiplier

// UnmarshalYAML decodes a decimal number exactly.
func (m *Multiplier) UnmarshalYAML(n *yaml.Node) error {
	v, err := pricing.ParseMultiplier(n.Value)
	*m = Multiplier(v)
	return err
}

// A Date is the beginning of a day in UTC.
type Date struct{ time.Time }

// UnmarshalYAML decodes a date.
func (d *Date) UnmarshalYAML(n *yaml.Node) (err error) {
	d.Time, err = time.Parse(time.DateOnly, n.Value)
	if err != nil || d.Year() < 2000 {
		return errors.New("expected a date, such as 2026-01-31")
	}
	return nil
}

// Table returns the prices, nil if they are off.
func (p *Pricing) Table() (*pricing.Table, error) {
	if p.Off {
		return nil, nil
	}
	rows, _ := p.rows()
	table, err := pricing.Default().With(rows)
	if err == nil && p.Multiplier != nil {
		table = table.Multiplied(pricing.Multiplier(*p.Multiplier))
	}
	if err == nil && len(p.Aliases) > 0 {
		table, err = table.WithAliases(p.Aliases)
	}
	return table, err
}

// rows returns a row for every model, and the key of each.
func (p *Pricing) rows() (rows []pricing.Row, keys []string) {
	for i := range p.Models {
		row, key := p.Models[i].row(), modelKey(i)
		for _, row.Model = range p.Models[i].Models {
			rows, keys = append(rows, row), append(keys, key)
		}
	}
	return rows, keys
}

func modelKey(i int) string { return "pricing.models[" + strconv.Itoa(i) + "]" }

// row returns the row without the model.
func (m *ModelPrice) row() pricing.Row {
	row := pricing.Row{Inherits: m.inherits()}
	if !row.Inherits {
		row.Rates = m.rates()
	}
	if m.Multiplier != nil {
		row.Multiplier = pricing.Multiplier(*m.Multiplier)
	}
	if m.From != nil {
		row.From = m.From.UnixMilli()
	}
	if m.Until != nil {
		row.Until = m.Until.AddDate(0, 0, 1).UnixMilli()
	}
	if m.Fast != nil {
		row.Fast = uint64(*m.Fast)
	}
	if l := m.LongPrompt; l != nil {
		row.LongPrompt, row.Long = uint64(*l.Above), l.rates()
	}
	return row
}

// inherits reports whether the entry only multiplies built-in prices.
func (m *ModelPrice) inherits() bool {
	return m.Multiplier != nil && m.ModelRates == (ModelRates{}) && m.Fast == nil && m.LongPrompt == nil
}

func (r *ModelRates) rates() pricing.Rates {
	return pricing.Rates{
		Input: uint64(*r.Input), CacheWrite5m: uint64(*r.CacheWrite5m), CacheWrite1h: uint64(*r.CacheWrite1h),
		CacheRead: uint64(*r.CacheRead), Output: uint64(*r.Output),
	}
}

func (p *Pricing) problems() problems {
	var found problems
	for i := range p.Models {
		found = append(found, p.Models[i].problems(modelKey(i))...)
	}
	if len(found) > 0 {
		return found
	}
	_, err := p.Table()
	_, keys := p.rows()
	if overlap, ok := errors.AsType[*pricing.OverlapError](err); ok {
		found.addKey(keys[overlap.Second], "the price of %s overlaps with that of %s", overlap.Model, keys[overlap.First])
	}
	if unknown, ok := errors.AsType[*pricing.UnknownModelError](err); ok {
		found.addKey(keys[unknown.Row], "%s has no built-in price to multiply", unknown.Model)
	}
	if alias, ok := errors.AsType[*pricing.AliasError](err); ok {
		found.addKey("pricing.aliases."+pathOf(alias.ID), "%s", alias.Reason)
	}
	return found
}

func (m *ModelPrice) problems(key string) problems {
	var found problems
	if !m.inherits() {
		found = m.ModelRates.problems(key)
	}
	if len(m.Models) == 0 {
		found.addKey(key+".model", "missing")
	}
	for _, id := range m.Models {
		if pricing.Normalize(id) == "" {
			found.addKey(key+".model", "%q is not the id of a model", id)
		}
	}
	if m.From != nil && m.Until != nil && m.Until.Before(m.From.Time) {
		found.addKey(key+".until", "the last day is before the first")
	}
	if m.Fast != nil {
		checkRange(&found, key+".fast", *m.Fast, 1, pricing.MaxFast)
	}
	if l := m.LongPrompt; l != nil {
		key += ".long_prompt"
		if l.Above == nil {
			found.addKey(key+".above", "missing")
		} else {
			checkRange(&found, key+".above", *l.Above, 1, 1_000_000_000)
		}
		found = append(found, l.problems(key)...)
	}
	return found
}

// problems returns a problem for every missing rate.
func (r *ModelRates) problems(key string) problems {
	var found problems
	for field, rate := range reflect.ValueOf(*r).Fields() {
		if rate.IsNil() {
			found.addKey(key+"."+field.Tag.Get("yaml"), "missing")
		}
	}
	return found
}

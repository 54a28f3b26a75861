package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// usageJSON is the JSON form of a Usage.
type usageJSON struct {
	Since    time.Time           `json:"since,omitzero"`
	Until    time.Time           `json:"until,omitzero"`
	Step     Step                `json:"step"`
	TimeZone string              `json:"time_zone"`
	By       []string            `json:"by,omitempty"`
	Where    map[string][]string `json:"where,omitempty"`
	Recorded time.Time           `json:"recorded_since,omitzero"`
	Total    numbers             `json:"total"`
	Undated  numbers             `json:"undated,omitzero"`
	Unpriced map[string]uint64   `json:"unpriced_tokens,omitempty"`
	Rows     []rowJSON           `json:"rows"` // last, see WriteJSON
}

// rowJSON is the JSON form of a Row.
type rowJSON struct {
	Start  time.Time         `json:"start,omitzero"`
	Labels map[string]string `json:"labels,omitempty"`
	Values numbers           `json:"values"`
}

// noRows ends the JSON form of a Usage without rows.
const noRows = "]}"

// WriteJSON writes a usage in the form that docs/api.md describes. It writes the rows
// in parts, since there may be many.
func (u *Usage) WriteJSON(w io.Writer) error {
	b, err := json.Marshal(usageJSON{
		u.Since, u.Until, u.Step, u.Location.String(), u.By, u.Where, u.Recorded,
		numbers{u.Measures, u.Total}, numbers{u.Measures, u.Undated}, u.Unpriced, []rowJSON{},
	})
	if err != nil {
		return fmt.Errorf("encode usage: %w", err)
	}
	b = bytes.TrimSuffix(b, []byte(noRows))
	const part = 32 << 10
	for i := range u.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		row, err := json.Marshal(u.row(&u.Rows[i]))
		if err != nil {
			return fmt.Errorf("encode usage: %w", err)
		}
		if b = append(b, row...); len(b) > part {
			if _, err := w.Write(b); err != nil {
				return fmt.Errorf("write usage: %w", err)
			}
			b = b[:0]
		}
	}
	if _, err = w.Write(append(b, noRows...)); err != nil {
		return fmt.Errorf("write usage: %w", err)
	}
	return nil
}

// MarshalJSON encodes a usage like WriteJSON.
func (u Usage) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := u.WriteJSON(&b)
	return b.Bytes(), err
}

// row returns the JSON form of a row.
func (u *Usage) row(r *Row) rowJSON {
	row := rowJSON{Labels: make(map[string]string), Values: numbers{u.Measures, r.Values}}
	if u.Step != Total {
		row.Start = r.Start
	}
	for i, name := range u.By {
		if row.Labels[name] = r.Labels[i]; name == ModelLabel {
			row.Labels[ModelNameLabel] = ModelName(r.Labels[i])
		}
	}
	return row
}

var errNoUsage = errors.New("not a usage of ccwatchd")

// UnmarshalJSON decodes a usage. Measures that this version does not know are left out.
func (u *Usage) UnmarshalJSON(b []byte) error {
	var in usageJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if in.Step == "" {
		return errNoUsage
	}
	location, err := ParseZone(in.TimeZone)
	if err != nil { // of the other machine
		location = time.UTC
		if len(in.Rows) > 0 {
			location = in.Rows[0].Start.Location()
		}
	}
	*u = Usage{
		Query:    Query{in.Since, in.Until, in.Step, location, in.By, in.Where, nil},
		Measures: in.Total.of, Recorded: in.Recorded, Total: in.Total.values, Undated: in.Undated.values,
		Unpriced: in.Unpriced, Rows: make([]Row, len(in.Rows)),
	}
	for i, row := range in.Rows {
		if u.Step == Total {
			row.Start = u.Since
		}
		u.Rows[i] = Row{Start: row.Start, Values: row.Values.values, Labels: make([]string, len(u.By))}
		for j, name := range u.By {
			u.Rows[i].Labels[j] = row.Labels[name]
		}
	}
	return nil
}

// numbers are some measures of Values, in the units of their names.
type numbers struct {
	of     []Measure
	values Values
}

// IsZero reports whether all numbers are 0.
func (n numbers) IsZero() bool { return n.values == Values{} }

// MarshalJSON encodes the numbers by name.
func (n numbers) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range n.of {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.append(append(append(append(b, '"'), m.String()...), `":`...), n.values[m])
	}
	return append(b, '}'), nil
}

// UnmarshalJSON decodes the numbers.
func (n *numbers) UnmarshalJSON(b []byte) error {
	var by map[string]float64
	if err := json.Unmarshal(b, &by); err != nil {
		return err
	}
	for m := range measureCount {
		if number, ok := by[m.String()]; ok {
			n.of = append(n.of, m)
			n.values[m] = m.stored(number)
		}
	}
	return nil
}

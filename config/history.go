package config

// History configures the record of when counters grew.
type History struct {
	// Off records no history. In the file, "history: off".
	Off bool `yaml:"-"`
	// DetailedFor is the age up to which the record has intervals of five minutes. Older
	// ones take an hour.
	DetailedFor Duration `yaml:"detailed_for"`
}

// UnmarshalYAML decodes the word off, or a mapping.
func (h *History) UnmarshalYAML(unmarshal func(any) error) error {
	type mapping History
	return decodeOff(unmarshal, &h.Off, (*mapping)(h))
}

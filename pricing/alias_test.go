package pricing

import "testing"

const profile = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3d4e5f6"

// An alias has the price of its model: by date, with fast mode and region.
func TestAliases(t *testing.T) {
	overlaid, err := Default().With([]Row{{Model: "gateway-model", Rates: Rates{Input: 70}, Fast: 3}})
	if err != nil {
		t.Fatal(err)
	}
	table, err := overlaid.WithAliases(map[string]string{
		profile:                     "claude-opus-4-8",
		"g7h8":                      "us.anthropic.claude-sonnet-5-5",
		"Team Model":                "gateway-model",
		"vendor/claude-opus-4-9":    "claude-sonnet-4-5[1m]",
		"eu.anthropic.house-v1:0":   "claude-opus-5",
		"claude-opus-4-6-distilled": "claude-haiku-4-5",
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, model := range map[string]string{
		profile:                       "claude-opus-4-8",
		"a1b2c3d4e5f6":                "claude-opus-4-8",
		"A1B2C3D4E5F6[1m]":            "claude-opus-4-8",
		"x/application/g7h8":          "us.anthropic.claude-sonnet-5-5",
		"team-model":                  "gateway-model",
		"claude-opus-4-9":             "claude-sonnet-4-5",
		"eu.anthropic.house":          "us.anthropic.claude-opus-5",
		"house":                       "claude-opus-5",
		"claude-opus-4-6-distilled":   "claude-haiku-4-5",
		"claude-opus-4-6-distilled-2": "claude-opus-4-6",
	} {
		for _, r := range []Request{{}, {Fast: true}, {US: true}, {Time: day(2026_10_06)}, {Time: day(2026_10_07)}} {
			of := r
			r.Model, of.Model = id, model
			if got, want := table.Price(r), overlaid.Price(of); got != want || got.Unknown {
				t.Errorf("%+v: got %+v, want %+v", r, got, want)
			}
		}
		if name, ok := table.Model(id); !ok || !table.Has(id) || name == Normalize(id) && id != model && name != model {
			t.Errorf("%s: got the model %s", id, name)
		}
	}
	for _, id := range []string{"a1b2c3", "profile/a1b2c3d4e5f6x", "team-model-2", "claude-opus-4-10"} {
		if table.Has(id) {
			t.Errorf("%s has a price", id)
		}
	}
	if Default().Overlaid() || !table.Overlaid() {
		t.Error("aliases are no change of the configuration")
	}
	if n := testing.AllocsPerRun(100, func() { table.Price(Request{Model: "a1b2c3d4e5f6"}) }); n > 0 {
		t.Errorf("a price allocates %v times", n)
	}
}

func TestAliasErrors(t *testing.T) {
	table, err := Default().With([]Row{{Model: "own"}})
	if err != nil {
		t.Fatal(err)
	}
	for want, aliases := range map[string]map[string]string{
		"alias /: this is not the id of a model":                         {"/": "claude-opus-5"},
		`alias a: "claude-opus-4-9" has no price`:                        {"a": "claude-opus-4-9"},
		`alias a: "b" has no price`:                                      {"a": "b", "b": "claude-opus-5"},
		"alias Own: the id has a price of its own":                       {"Own": "claude-opus-5"},
		"alias x/a: another form of the id is an alias of claude-opus-5": {"a": "claude-opus-5", "x/a": "claude-opus-4-8"},
	} {
		if _, err := table.WithAliases(aliases); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := table.WithAliases(map[string]string{"a": "claude-opus-5", "x/a": "claude-opus-5"}); err != nil {
		t.Error(err)
	}
}

// The factor of a source applies in addition to the factor of a model.
func TestSourceMultiplier(t *testing.T) {
	table := Default().Multiplied(multiplierUnit / 2)
	got := table.Price(Request{Model: "us.anthropic.claude-opus-5", Fast: true, Multiplier: 1.1 * multiplierUnit})
	if want := uint64(5 * usd * 2 * 11 / 10 / 2 * 11 / 10); got.Input != want || got.WebSearch != 0.0055*1e12 {
		t.Errorf("got %+v, want %d for input", got, want)
	}
	long := Default().Price(Request{Model: "claude-sonnet-4-5", Multiplier: 2 * multiplierUnit})
	if long.Long.Output != 45*usd || long.LongPrompt != 200_000 {
		t.Errorf("got %+v", long)
	}
	if p := table.Price(Request{Model: "x", Multiplier: 2 * multiplierUnit}); p != (Price{Unknown: true}) {
		t.Errorf("no price: got %+v", p)
	}
}

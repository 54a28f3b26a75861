package pricing

import "testing"

func TestParseRate(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "0.0": 0, "3": 3_000_000, "3.0": 3_000_000, "003": 3_000_000, "0.30": 300_000, "0.125": 125_000,
		"22.5": 22_500_000, "0.00001": 10, "0.10000000": 100_000, "99999.99999": MaxRate - 10, "100000": MaxRate, "100000.00000": MaxRate,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	const notANumber, long, large = "expected US dollars per million tokens, such as 3 or 0.125", "expected at most 5 decimal places", "expected at most 100000 US dollars per million tokens"
	for text, want := range map[string]string{
		"": notANumber, ".": notANumber, ".5": notANumber, "5.": notANumber, "-1": notANumber, "+1": notANumber, "1e3": notANumber, "1_000": notANumber,
		"1,5": notANumber, "0x10": notANumber, "$3": notANumber, "1.2.3": notANumber, ".nan": notANumber, "٣": notANumber,
		"0.000001": long, "0.123456": long,
		"100000.00001": large, "100001": large, "99999999999999999999999999": large,
	} {
		if _, err := ParseRate(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

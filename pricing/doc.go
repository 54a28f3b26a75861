// Package pricing knows the list prices of requests to models, by date.
//
// A Table has the rates of models over time: one Row for each model and period.
// Table.Price selects the rates of a request; Price.Cost multiplies them by its usage.
// Amounts are integers, so sums do not depend on their order: rates in 10^-12 US
// dollars per token, amounts in 10^-9 US dollars.
//
// The built-in rows are in builtin.go. Rows of a configuration override them, see
// Table.With, its aliases give ids their models, see Table.WithAliases, and its sources
// may have factors, see Request.Multiplier. A model has no price if its id neither is
// nor contains the name of a row: a price is never derived from another version's
// price.
//
// A request is priced by these rules, which test/reference/naive implements, too:
//
//  1. Its model is normalized. Before, control characters are removed and the id is cut
//     to 128 bytes; an id of 125 or more bytes has no price. A message without a model
//     has the model "unknown", which has no price.
//     - If the id has slashes, only the text after the last slash counts.
//     - Blanks (spaces, tabs, line breaks) around it are removed. A to Z become lower
//     case, and every blank and every dot becomes a hyphen.
//     - One prefix is removed: "anthropic-", alone or after one of "us-", "us-gov-",
//     "eu-", "apac-", "au-", "ca-", "jp-", "global-", or after anything that ended with
//     a dot. Without a region or after "global-", further hyphens are removed.
//     - These suffixes are removed until the id ends with none of them: "[1m]" (with
//     the hyphen before it, if any), "-latest", "-" or "@" followed by exactly eight
//     digits, "-vN:M" with any numbers N and M, and, if the id begins with "claude-",
//     also "-vN".
//     - If a version of one or two numbers of one or two digits and a name of letters
//     follow the first "claude-", in either order, the version moves after the name,
//     and up to Claude 3 before it. No letter or digit is before or after them, and no
//     further number as below.
//     - The row has the id as its name. Otherwise it is the row with the longest name
//     that begins with "claude-" and that the id contains: no letter or digit is before
//     or after the name, nor does a hyphen with a number of one or two digits follow.
//  2. Its time selects the row, in UTC. The first row of a model also holds before its
//     first day, and every row holds until the first day of the next row.
//  3. If its prompt (input, cache writes and cache reads, without output and web
//     searches) has more tokens than the limit of the row, all tokens have the prices
//     for long prompts, including output.
//  4. All prices of tokens are multiplied by the factor of fast mode if the speed is
//     "fast", and by 1.1, once, if the region is "us" or the id had the prefix of a
//     region (the word before "anthropic-" unless it is "global") and the model does
//     not cost the same in all regions.
//  5. Each part is exact, then rounded to 10^-9 US dollars, half up; the cost is the
//     sum of the rounded parts. Speed and region do not change web searches.
//  6. Savings are the tokens read from the cache times (price of input - price of
//     reads). The premium is the tokens written times (price of writes - price of
//     input); both kinds of writes are added before the sum is rounded. A negative
//     difference counts as 0.
package pricing

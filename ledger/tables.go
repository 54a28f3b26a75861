package ledger

import "github.com/ccwatchd/ccwatchd/state/codec"

// CountersField is the field of the counters in a saved state. Owners of other tables
// use numbers up to LastOwnField.
const (
	CountersField codec.Number = 1
	LastOwnField  codec.Number = 9
)

// The numbers of the tables in a saved state. A number is never reused. The values to
// which rows of other tables refer come first.
const (
	tableFileAttrs codec.Number = iota + LastOwnField + 1
	tableMessageLabels
	tablePrices
	tableUnpricedRequests
	tableAttributions
	tableToolLabels
	tableSessionModels
	tableFiles
	tableGroups
	tableHeld
	tableFullRecords
	tableCounted
	tableCharges
	tableUnpriced
	tableTools
	tableOrphans
	tableTurns
	tableTurnKeys
	tableTimings
	tableCauses
	tableSideRequests
	tableRuns
	tableSubagents
	tableSlotCounts
	tableSlotHolders
	tableReported
	tableSessionUsage
	tableSessionIntervals
	tableSessionTotals
	tableVersions
	tableSessions
	tableEndedSessions
	tablePrompts
	tableQueuedPrompts
	tablePromptTexts
	tableCompactions
	tableCompactionTimes
	tableTurnPrompts
	tableTurnTexts
	tableQueueOperations
	tableLimitHits
	tableHooks
	tableHookRuns
	tableHookClaims
	tableAPIErrors
	tableTurnDurations
	tableTurnDurationTimes
	tableShortIDs

	tableFacts // and the following ones, see newFacts
)

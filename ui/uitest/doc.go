// Package uitest is what the tests of the dashboard's packages share: snapshots of runs in
// every state (fixture.go, roll.go), a user's desk with its clock and its commands
// (desk.go), and golden files that name the pen of each text (golden.go).
package uitest

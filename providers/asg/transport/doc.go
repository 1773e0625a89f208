// Package transport is how a call to AWS leaves and what comes back: a client that only reads
// sends nothing else (readonly.go), what was not answered is asked again (askagain.go), the
// answers' Date headers are a clock (clock.go), and an error says what it means in words and by
// errors.Is (errors.go), and what kind of no to a change it is (refusal.go). Text from AWS is
// cleaned here (text.go).
package transport

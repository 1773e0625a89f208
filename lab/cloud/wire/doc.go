// Package wire is how AWS's older protocols are spoken: requests with flat parameters, their filters
// and pages (request.go), answers in XML (xml.go), and the errors that services share, each in its own
// words (errors.go). It knows nothing of groups and instances, and holds nothing.
package wire

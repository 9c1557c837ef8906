/**
 * Settings with identifiers of their own, so that a message of a lower layer can name one without
 * knowing how the operator sets it: as a flag of the command line, a component of a record, a key
 * of a file. Also the release, which several layers report.
 */
package dev.varve.platform.setting;

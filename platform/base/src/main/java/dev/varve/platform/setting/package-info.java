/**
 * Settings by identifiers of their own, so that a message of a lower layer can name one without
 * knowing how a person gives it: as a flag of the command line, a component of a record, a key of a
 * file. And which release this is, which several layers tell.
 */
package dev.varve.platform.setting;

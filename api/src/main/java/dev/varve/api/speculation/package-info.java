/**
 * Speculators: guess how sequences go on, so that one forward of the model checks several tokens.
 * What they guess decides how long an answer takes and never what it says.
 */
package dev.varve.api.speculation;

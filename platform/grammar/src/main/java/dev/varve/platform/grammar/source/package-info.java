/** Grammar sources in the notations that clients use. */
package dev.varve.platform.grammar.source;

/** Grammars that an answer can be held to. */
package dev.varve.platform.grammar;

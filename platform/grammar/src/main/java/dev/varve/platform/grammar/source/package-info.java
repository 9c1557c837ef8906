/** What a text must look like, in the ways in which clients say it. */
package dev.varve.platform.grammar.source;

/** Types that every part of Varve shares: the root exception and its kinds. */
package dev.varve.api;

/**
 * Chat templates: an interpreter for the Jinja dialect that model files carry, written for hostile
 * input.
 *
 * <p>{@link dev.varve.platform.template.ChatTemplate} compiles a source once and renders it many
 * times. A template reaches nothing but the variables it is given: values are plain data, every
 * step, nesting level and character is counted against {@link
 * dev.varve.platform.template.TemplateLimits}. The result remembers which characters the template
 * wrote and which came from the caller, so that text of a user can never become a special token.
 *
 * <p>More than 50 types, of which five are seen from outside. Rooms inside would open nearly all
 * the others to everybody: values call macros of the interpreter, filters and methods make values,
 * and all count against one budget, so parser, values and interpreter know each other both ways.
 */
package dev.varve.platform.template;

/**
 * Chat templates: an interpreter for the Jinja dialect of model files, written for hostile input.
 *
 * <p>{@link dev.varve.platform.template.ChatTemplate} compiles a source once and renders it many
 * times. A template can access only its variables: values are plain data, and every step, nesting
 * level and character is counted against {@link dev.varve.platform.template.TemplateLimits}. The
 * result records which characters the template wrote and which came from the caller, so that text
 * of a user can never become a special token.
 *
 * <p>The package has more than 50 types, of which five are used from outside. Subpackages would
 * make nearly all others public: values call macros of the interpreter, filters and methods create
 * values, and all count against one budget, so parser, values and interpreter depend on each other
 * in both directions.
 */
package dev.varve.platform.template;

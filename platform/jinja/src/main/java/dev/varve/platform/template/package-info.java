/**
 * Chat templates: an interpreter for the Jinja dialect of model files, written for hostile input.
 *
 * <p>{@link ChatTemplate} compiles a source once and renders it many times. A template can access
 * only its variables: values are plain data, and every step, nesting level and character is counted
 * against {@link TemplateLimits}. The result records which characters the template wrote and which
 * came from the caller, so that text of a user can never become a special token.
 *
 * <ul>
 *   <li>{@link TemplateLexer}, {@link TemplateParser}, {@link ExpressionParser}: from source to
 *       {@link Stmt} and {@link Expr};
 *   <li>{@link Interpreter}, {@link Evaluator}: execution, with a {@link RenderContext} and a
 *       {@link RenderBudget} for each render;
 *   <li>{@link Value}, {@link Dict}, {@link TemplateString}: values with Python's semantics, and
 *       {@link Attributes}, {@link ContainerMethods} and {@link StringMethods} on them;
 *   <li>{@link Filters}, {@link JinjaTests}, {@link Globals}: functions that a template calls;
 *   <li>{@link PythonText}, {@link PercentFormat}, {@link BraceFormat}: formats of text.
 * </ul>
 *
 * <p>Other packages use five of these types. Subpackages would make nearly all others public:
 * values call macros of the interpreter, filters and methods create values, and all count against
 * one budget, so parser, values and interpreter depend on each other in both directions.
 */
package dev.varve.platform.template;

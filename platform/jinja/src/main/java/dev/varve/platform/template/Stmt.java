package dev.varve.platform.template;

import java.util.List;
import java.util.Optional;

/** A statement. Lines are those of the tag, counted from 1. */
sealed interface Stmt {
    /** Text of the template. */
    record Text(TemplateString text) implements Stmt {}

    /** {@code {{ value }}}. */
    record Output(Expr value, int line) implements Stmt {}

    /** {@code if} with its {@code elif}s and {@code else}. */
    record If(List<Branch> branches, List<Stmt> otherwise) implements Stmt {}

    /** A condition of an {@link If} and its body. */
    record Branch(Expr test, List<Stmt> body, int line) {}

    /** {@code for target in items if filter}, with {@code else} for no item at all. */
    record For(
            Iteration iteration, boolean recursive, List<Stmt> body, List<Stmt> otherwise, int line)
            implements Stmt {}

    /** Items and variables of a {@link For}: {@code target in items if filter}. */
    record Iteration(Target target, Expr items, Optional<Expr> filter) {}

    /** {@code set target = value}. */
    record Assign(Target target, Expr value, int line) implements Stmt {}

    /** {@code set target} ... {@code endset}. */
    record AssignBlock(Target target, List<Expr.Step> filters, List<Stmt> body, int line)
            implements Stmt {}

    /** A macro definition. */
    record Macro(String name, MacroBody body, int line) implements Stmt {}

    /**
     * {@code call(parameters) macro(...)} ... {@code endcall}: the body is the macro's {@code
     * caller}.
     */
    record CallBlock(Expr.Call call, MacroBody caller, int line) implements Stmt {}

    /** {@code filter upper} ... {@code endfilter}. */
    record FilterBlock(List<Expr.Step> filters, List<Stmt> body, int line) implements Stmt {}

    /**
     * {@code with a = 1} ... {@code endwith}; without variables only a scope of its own, as {@code
     * generation}.
     */
    record With(List<Expr.Named> variables, List<Stmt> body, int line) implements Stmt {}

    /** {@code do expression}: evaluates and prints nothing. */
    record Do(Expr value, int line) implements Stmt {}

    /** {@code break}. */
    record Break() implements Stmt {}

    /** {@code continue}. */
    record Continue() implements Stmt {}

    /** Code of a macro. The flags say which special names its body uses. */
    record MacroBody(
            List<Parameter> parameters,
            List<Stmt> statements,
            boolean usesCaller,
            boolean usesVarargs,
            boolean usesKwargs) {}

    /** A macro parameter. */
    record Parameter(String name, Optional<Expr> fallback) {}

    /** Target of an assignment. */
    sealed interface Target {
        /** A variable. */
        record Variable(String name) implements Target {}

        /** An attribute of a namespace. */
        record NamespaceAttribute(String name, String attribute) implements Target {}

        /** Several targets that unpack a sequence. */
        record Several(List<Target> targets) implements Target {}
    }
}

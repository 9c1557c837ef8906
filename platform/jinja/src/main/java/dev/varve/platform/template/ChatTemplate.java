package dev.varve.platform.template;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A chat template in Jinja, as the key {@code tokenizer.chat_template} of a model file holds it.
 *
 * <p>Templates render as with the options {@code trim_blocks}, {@code lstrip_blocks}, no automatic
 * escaping and no trailing newline, and with the additions common for chat templates: {@code
 * raise_exception}, {@code strftime_now}, {@code break}, {@code continue}, {@code generation}
 * blocks and a {@code tojson} that keeps key order and characters. Templates cannot include other
 * templates. Instances are immutable and may be used by several threads at once.
 */
public final class ChatTemplate {
    private final String source;
    private final List<Stmt> program;
    private final TemplateLimits limits;
    private final Clock clock;

    private ChatTemplate(String source, List<Stmt> program, TemplateLimits limits, Clock clock) {
        this.source = source;
        this.program = program;
        this.limits = limits;
        this.clock = clock;
    }

    /**
     * Compiles a template with the default limits and the clock of the system.
     *
     * @throws TemplateException if the source is not a valid template; its message names the line
     */
    public static ChatTemplate compile(String source) {
        return compile(source, TemplateLimits.DEFAULT, Clock.systemDefaultZone());
    }

    /**
     * Compiles a template.
     *
     * @param limits limits of each render
     * @param clock clock that {@code strftime_now} reads
     * @throws TemplateException if the source is not a valid template; its message names the line
     */
    public static ChatTemplate compile(String source, TemplateLimits limits, Clock clock) {
        Objects.requireNonNull(limits);
        Objects.requireNonNull(clock);
        try {
            return new ChatTemplate(source, TemplateParser.parse(source), limits, clock);
        } catch (StackOverflowError e) {
            // Nesting is limited, but the stack of the calling thread may be nearly used up.
            throw TemplateException.at(
                    1, "the template nests too deep for the stack of this thread");
        }
    }

    /** Returns the source from which the template was compiled. */
    public String source() {
        return source;
    }

    /** Renders without trusted variables, see {@link #render(Map, Set)}. */
    public RenderedPrompt render(Map<String, Object> variables) {
        return render(variables, Set.of());
    }

    /**
     * Renders the template.
     *
     * @param variables strings, numbers, booleans, {@code null} for {@code None}, {@link
     *     RenderedPrompt}s, and lists and maps of these; maps keep their order. They are copied, so
     *     the template cannot change them
     * @param trustedVariables names of variables whose strings count as text of the template, such
     *     as {@code bos_token}
     * @throws TemplateException if the template fails, exceeds its limits, or rejects the input
     *     itself
     */
    public RenderedPrompt render(Map<String, Object> variables, Set<String> trustedVariables) {
        RenderContext runtime = new RenderContext(limits, clock);
        try {
            Scope globals = Scope.of(new Globals(runtime).all());
            Scope scope = globals.inner();
            ValueConverter.convert(variables, trustedVariables, runtime.budget())
                    .forEach(scope::set);
            return new RenderedPrompt(new Interpreter(runtime).render(program, scope).spans());
        } catch (EvaluationError e) {
            throw e.raisedByTemplate()
                    ? TemplateException.raised(runtime.line(), e.getMessage())
                    : TemplateException.at(runtime.line(), e.getMessage());
        } catch (StackOverflowError e) {
            throw TemplateException.at(
                    runtime.line(), "the template nests too deep for the stack of this thread");
        }
    }
}

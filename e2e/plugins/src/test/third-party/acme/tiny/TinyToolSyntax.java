package acme.tiny;

import dev.varve.api.model.CallableTool;
import dev.varve.api.model.JsonStrings;
import dev.varve.api.model.ToolCallOutput;
import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.util.List;
import java.util.Optional;

/** Calls such as {@code get_weather(city: Bern; days: 2)}, one on each line. */
final class TinyToolSyntax implements ToolSyntax.Custom {
    @Override
    public String open() {
        return "<tool_call>";
    }

    @Override
    public String close() {
        return "</tool_call>";
    }

    @Override
    public String beforeName() {
        return "";
    }

    @Override
    public String afterName() {
        return "(";
    }

    @Override
    public ToolCallParser parser(List<CallableTool> tools, ToolCallOutput output) {
        return new Parser(tools, output);
    }

    private static final class Parser implements ToolCallParser {
        private final List<CallableTool> tools;
        private final ToolCallOutput output;
        private final StringBuilder text = new StringBuilder();
        private Optional<CallableTool> tool = Optional.empty();
        private Optional<String> key = Optional.empty();
        private boolean hasMembers;
        private boolean begun;
        private boolean rejected;

        Parser(List<CallableTool> tools, ToolCallOutput output) {
            this.tools = tools;
            this.output = output;
        }

        @Override
        public void push(String more) {
            for (int index = 0; index < more.length() && !rejected; index++) {
                take(more.charAt(index));
            }
        }

        private void take(char next) {
            if (tool.isEmpty()) {
                if (next == '(') {
                    begin(taken());
                } else {
                    text.append(next);
                }
            } else if (next == ')') {
                end();
            } else if (key.isEmpty() && next == ':') {
                key = Optional.of(taken());
            } else if (key.isPresent() && next == ';') {
                member();
            } else {
                text.append(next);
            }
        }

        private void begin(String name) {
            tool = tools.stream().filter(known -> known.name().equals(name)).findFirst();
            rejected = tool.isEmpty() && !begun;
            if (tool.isPresent()) {
                output.begin(name);
                begun = true;
                hasMembers = false;
            }
        }

        private void member() {
            String name = key.orElseThrow();
            output.append((hasMembers ? "," : "{") + JsonStrings.quoted(name) + ":");
            output.append(tool.orElseThrow().argument(name, taken()));
            hasMembers = true;
            key = Optional.empty();
        }

        private void end() {
            if (key.isPresent()) {
                member();
            }
            output.append(hasMembers ? "}" : "{}");
            tool = Optional.empty();
            text.setLength(0);
        }

        private String taken() {
            String taken = text.toString().strip();
            text.setLength(0);
            return taken;
        }

        @Override
        public boolean isRejected() {
            return rejected;
        }

        @Override
        public boolean isComplete() {
            return begun && tool.isEmpty() && text.isEmpty();
        }

        @Override
        public void close() {
            if (tool.isPresent()) {
                end();
            }
            rejected = !begun;
        }
    }
}

import dev.varve.embedded.*;

public record Person(String name, int age) {}

void main(String[] arguments) {
    var options = VarveOptions.DEFAULT.withSampling(Sampling.DEFAULT.temperature(0));
    try (Varve model = Varve.open(Path.of(arguments[0]), options)) {
        var request = ChatRequest.of("Return JSON with name and age: Anna is 34 years old.");
        IO.println(model.chat(request, Person.class));
    }
}

//! What the code map finds in small sources of Python, TypeScript, JavaScript and Ruby.

use crate::codemap::check;
use backstory_capture::{CodeMapError, Language, symbols};

#[test]
fn python_is_read() {
    let source = r##"
"""Doc."""
import os
MAX_ROWS = 10
rows = []
class Parser(Base, metaclass=Meta):
    """Doc."""
    DEPTH: int = 4
    def __init__(self, text: str, *, strict: bool = False) -> None:
        self.text = text
    @property
    def size(self): return len(self.text)
    @staticmethod
    async def parse(
        text,
        depth=3,
    ):
        def inner(): pass
        return inner
    class Node:
        def walk(self): ...
@app.get("/items/{item_id}")
@functools.lru_cache(maxsize=None, typed=True, other="very long argument")
def список(a, b=(1, 2)) -> "list[int]":
    return [a]
if os.name == "nt":
    def fallback(): pass
type Pair[T] = tuple[T, T]
"##;
    let expected = r##"
constant MAX_ROWS | MAX_ROWS = 10 | 3-3
class Parser | class Parser(Base, metaclass=Meta) | 5-20
constant Parser.DEPTH | DEPTH: int = 4 | 7-7
method Parser.__init__ | def __init__(self, text: str, *, strict: bool = False) -> None | 8-9
method Parser.size | @property def size(self) | 11-11
method Parser.parse | @staticmethod async def parse(text, depth=3) | 13-18
class Parser.Node | class Node | 19-20
method Parser.Node.walk | def walk(self) | 20-20
function список | @app.get("/items/{item_id}") @functools.lru_cache def список(a, b=(1, 2)) -> "list[int]" | 23-24
function fallback | def fallback() | 26-26
type Pair | type Pair[T] = tuple[T, T] | 27-27
"##;
    check(Language::Python, source, expected);
}

#[test]
fn typescript_is_read() {
    let source = r##"
import x from "y";
export const LIMIT = 10;
export interface Reader<T> extends Base { read(path: string): Promise<T>; name: string }
export type Id = string | number;
export enum Color { Red, Green }
export abstract class Store<T extends object> implements Reader<T> {
  private rows: T[] = [];
  constructor(private readonly path: string) { super() }
  @logged()
  async open(retries = 3): Promise<void> { const inner = () => 1; }
  get size(): number { return 1 }
  static of<U>(x: U): Store<U>;
  static of(x: any) { return x }
  handle = (event: Event): void => { };
  abstract close(): void;
}
export default async function main(args: string[]): Promise<number> { return 0 }
export const add = (a: number, b: number): number => a + b;
const legacy = function named(x) { return x };
function over(a: string): void;
function over(a: number): void;
function over(a: any) { }
namespace Shapes { export function área(r: number) { return r } }
@Component({ selector: 'app-root', templateUrl: './x.html' })
export class App { }
const { a, b } = load();
declare function ext(a: string): void;
export const useX = create((set) => ({ a: 1, fn: () => {} }));
"##;
    let expected = r##"
constant LIMIT | export const LIMIT = 10 | 2-2
interface Reader | export interface Reader<T> extends Base | 3-3
method Reader.read | read(path: string): Promise<T> | 3-3
type Id | export type Id = string | number | 4-4
enum Color | export enum Color | 5-5
class Store | export abstract class Store<T extends object> implements Reader<T> | 6-16
method Store.constructor | constructor(private readonly path: string) | 8-8
method Store.open | @logged() async open(retries = 3): Promise<void> | 10-10
method Store.size | get size(): number | 11-11
method Store.of | static of<U>(x: U): Store<U> | 12-12
method Store.of | static of(x: any) | 13-13
method Store.handle | handle = (event: Event): void | 14-14
method Store.close | abstract close(): void | 15-15
function main | export default async function main(args: string[]): Promise<number> | 17-17
function add | export const add = (a: number, b: number): number | 18-18
function legacy | const legacy = function named(x) | 19-19
function over | function over(a: string): void | 20-20
function over | function over(a: number): void | 21-21
function over | function over(a: any) | 22-22
module Shapes | namespace Shapes | 23-23
function Shapes.área | export function área(r: number) | 23-23
class App | @Component export class App | 25-25
function ext | declare function ext(a: string): void | 27-27
constant useX | export const useX = create((set) => ({ a: 1, fn: () => {} })) | 28-28
"##;
    check(Language::TypeScript, source, expected);
}

#[test]
fn javascript_is_read() {
    let source = r##"
export const View = ({ title, children }) => <div>{title}{children}</div>;
export default class Panel extends React.Component { state = {}; render() { return <View title="x" />; } onClick = async (e) => { this.setState({}) }; static #hidden(a) {} *[Symbol.iterator]() {} }
function* ids() { yield 1 }
exports.load = async function (path) { return path };
Panel.prototype.close = () => {};
let counter = 0;
describe("x", () => { const a = 1; function helper() {} });
"##;
    let expected = r##"
function View | export const View = ({ title, children }) | 1-1
class Panel | export default class Panel extends React.Component | 2-2
method Panel.render | render() | 2-2
method Panel.onClick | onClick = async (e) | 2-2
method Panel.#hidden | static #hidden(a) | 2-2
method Panel.[Symbol.iterator] | *[Symbol.iterator]() | 2-2
function ids | function* ids() | 3-3
function exports.load | exports.load = async function (path) | 4-4
function Panel.prototype.close | Panel.prototype.close = () | 5-5
"##;
    check(Language::JavaScript, source, expected);
}

#[test]
fn ruby_is_read() {
    let source = r##"
require "x"
LIMIT = 10
Point = Struct.new(:x, :y)
module Shop
  class Order < Base
    STATES = %w[open closed].freeze
    attr_reader :lines
    def initialize(lines, tax: 0.2, &block)
      @lines = lines
    end
    def total = lines.sum
    def self.build(attrs = {})
      new(attrs)
    end
    def paid? ; true end
    private
    def größe
      <<~TEXT
        a
      TEXT
    end
    class << self
      def find(id) end
    end
  end
  class Empty < Order; end
end
def helper(a) a end
"##;
    let expected = r##"
constant LIMIT | LIMIT = 10 | 2-2
constant Point | Point = Struct.new(:x, :y) | 3-3
module Shop | module Shop | 4-27
class Shop::Order | class Order < Base | 5-25
constant Shop::Order::STATES | STATES = %w[open closed].freeze | 6-6
method Shop::Order#initialize | def initialize(lines, tax: 0.2, &block) | 8-10
method Shop::Order#total | def total | 11-11
method Shop::Order.build | def self.build(attrs = {}) | 12-14
method Shop::Order#paid? | def paid? | 15-15
method Shop::Order#größe | def größe | 17-21
method Shop::Order#find | def find(id) | 23-23
class Shop::Empty | class Empty < Order | 26-26
function helper | def helper(a) | 28-28
"##;
    check(Language::Ruby, source, expected);
}

/// The grammar would end the process (law 1).
#[test]
fn a_heredoc_with_a_word_too_long_for_the_grammar_is_not_read() {
    for (before, after) in [("", ""), ("'", "'"), ("~\"", "\""), ("-", "")] {
        let word = "W".repeat(300);
        let source = format!("def a\n  x = <<{before}{word}{after}\n  text\n{word}\nend\n");
        assert_eq!(symbols(Language::Ruby, &source), Err(CodeMapError::TooTangled), "{before}");
    }
    let over_lines = format!("x = <<<\"{}\"\ntext\n", "some words\n".repeat(40));
    assert_eq!(symbols(Language::Ruby, &over_lines), Err(CodeMapError::TooTangled));
    let usual = "def a\n  x = <<~SQL\n    select 1\n  SQL\n  list <<\"some text\"\nend\n";
    assert!(symbols(Language::Ruby, usual).is_ok());
}

//! What the code map finds in small sources of Rust, Go, Java, C, C++ and C#.

use crate::codemap::check;
use backstory_capture::Language;

#[test]
fn rust_is_read() {
    let source = r##"
//! Keeps shelves.
use std::fmt;
pub const LIMIT: usize = 3;
static TABLE: [&str; 6] = ["a long string to fill", "a long string to fill", "another", "another", "more", "yet more"];
#[derive(Debug, Clone)]
pub struct Shelf<T> where T: Clone { items: Vec<T>, }
pub struct Mark(u64);
/// One of two.
pub(crate) enum Side { Left, Right }
pub trait Sorter { const DEPTH: u8; fn sort(&mut self) -> bool; fn twice(&mut self) { self.sort(); } }
impl<T: Clone> Shelf<T> {
    /// Puts it in.
    pub async fn put(
        &mut self,
        item: T, // what
        at: usize,
    ) -> Result<(), fmt::Error> {
        fn local() {}
        self.items.insert(at, item); Ok(())
    }
    const fn größe(&self) -> usize { 0 }
}
impl<T: Clone> fmt::Display for Shelf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", 1) }
}
macro_rules! shelf { () => { 1 }; }
type Row = Vec<Shelf<u8>>;
mod inner { pub fn helper<'a, F>(f: F) -> impl Iterator<Item = &'a str> where F: Fn(&str) -> bool { [].into_iter() } }
#[test] fn works() {}
"##;
    let expected = r##"
constant LIMIT | pub const LIMIT: usize = 3 | 3-3
constant TABLE | static TABLE: [&str; 6] = … | 4-4
struct Shelf | pub struct Shelf<T> where T: Clone | 6-6
struct Mark | pub struct Mark(u64) | 7-7
enum Side | pub(crate) enum Side | 9-9
trait Sorter | pub trait Sorter | 10-10
constant Sorter::DEPTH | const DEPTH: u8 | 10-10
method Sorter::sort | fn sort(&mut self) -> bool | 10-10
method Sorter::twice | fn twice(&mut self) | 10-10
method Shelf::put | pub async fn put(&mut self, item: T, at: usize) -> Result<(), fmt::Error> | 13-20
method Shelf::größe | const fn größe(&self) -> usize | 21-21
method Shelf::fmt | fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result | 24-24
macro shelf | macro_rules! shelf | 26-26
type Row | type Row = Vec<Shelf<u8>> | 27-27
module inner | mod inner | 28-28
function inner::helper | pub fn helper<'a, F>(f: F) -> impl Iterator<Item = &'a str> where F: Fn(&str) -> bool | 28-28
function works | fn works() | 29-29
"##;
    check(Language::Rust, source, expected);
}

#[test]
fn go_is_read() {
    let source = r##"
package shelf
import "fmt"
const Limit = 3
const (
	A = iota
	B
)
var ErrFull = errors.New("full")
// Shelf holds.
type Shelf[T any] struct { items []T }
type (
	Sorter interface { Sort() error }
	Names map[string]struct{}
	Alias = string
)
func New[T any](n int) *Shelf[T] { return nil }
func (s *Shelf[T]) Put(item T,
	at int) (int, error) {
	f := func() {}
	return 0, nil
}
func (Names) Größe() int { return 0 }
"##;
    let expected = r##"
constant Limit | const Limit = 3 | 3-3
constant A | const A = iota | 5-5
constant B | const B | 6-6
constant ErrFull | var ErrFull = errors.New("full") | 8-8
struct Shelf | type Shelf[T any] struct | 10-10
interface Sorter | type Sorter interface | 12-12
type Names | type Names map[string]struct{} | 13-13
type Alias | type Alias = string | 14-14
function New | func New[T any](n int) *Shelf[T] | 16-16
method Shelf.Put | func (s *Shelf[T]) Put(item T, at int) (int, error) | 17-21
method Names.Größe | func (Names) Größe() int | 22-22
"##;
    check(Language::Go, source, expected);
}

#[test]
fn java_is_read() {
    let source = r##"
package x;
import java.util.*;
@Service
public class Store<T extends Comparable<T>> extends Base implements Closeable {
  public static final int LIMIT = 3;
  private final String name;
  int a, b;
  public Store(String name) { this.name = name; }
  @Override
  public synchronized <R> List<R> find(String key, int... ids) throws IOException { Runnable r = () -> {}; return null; }
  public void find(String key) {}
  static class Entry { void größe() {} }
  enum Mode { FAST { int x() { return 1; } }, SLOW; int x() { return 0; } }
}
interface Reader { String read(int n); default void close() {} }
record Point(int x, int y) { Point { if (x < 0) throw new X(); } double length() { return 0; } }
@interface Marker { String value(); }
"##;
    let expected = r##"
class Store | @Service public class Store<T extends Comparable<T>> extends Base implements Closeable | 3-14
constant Store.LIMIT | public static final int LIMIT = 3 | 5-5
method Store.Store | public Store(String name) | 8-8
method Store.find | @Override public synchronized <R> List<R> find(String key, int... ids) throws IOException | 9-10
method Store.find | public void find(String key) | 11-11
class Store.Entry | static class Entry | 12-12
method Store.Entry.größe | void größe() | 12-12
enum Store.Mode | enum Mode | 13-13
method Store.Mode.x | int x() | 13-13
method Store.Mode.x | int x() | 13-13
interface Reader | interface Reader | 15-15
method Reader.read | String read(int n) | 15-15
method Reader.close | default void close() | 15-15
struct Point | record Point(int x, int y) | 16-16
method Point.Point | Point | 16-16
method Point.length | double length() | 16-16
type Marker | @interface Marker | 17-17
"##;
    check(Language::Java, source, expected);
}

#[test]
fn c_is_read() {
    let source = r##"
#include <stdio.h>
#define LIMIT 10
#define SQUARE(x) ((x) * (x))
typedef struct { int x; int y; } point_t;
struct shelf { int count; char *names[4]; };
enum side { LEFT, RIGHT };
static const double PI = 3.14;
int counter;
int shelf_open(struct shelf *shelf, const char *path);
static inline int
shelf_open(struct shelf *shelf,
           const char *path)
{
    return 0;
}
char *shelf_name(const struct shelf *shelf) { return 0; }
#ifdef DEBUG
void debug(void) {}
#endif
"##;
    let expected = r##"
constant LIMIT | #define LIMIT 10 | 2-2
macro SQUARE | #define SQUARE(x) ((x) * (x)) | 3-3
type point_t | typedef struct point_t | 4-4
struct shelf | struct shelf | 5-5
enum side | enum side | 6-6
constant PI | static const double PI = 3.14 | 7-7
function shelf_open | int shelf_open(struct shelf *shelf, const char *path) | 9-9
function shelf_open | static inline int shelf_open(struct shelf *shelf, const char *path) | 10-15
function shelf_name | char *shelf_name(const struct shelf *shelf) | 16-16
function debug | void debug(void) | 18-18
"##;
    check(Language::C, source, expected);
}

#[test]
fn cpp_is_read() {
    let source = r##"
#include <vector>
namespace lib {
constexpr int kLimit = 3;
template <typename T>
class Store : public Base {
public:
  explicit Store(int n) : n_(n) {}
  ~Store();
  T get(int i) const { return data_[i]; }
  virtual void close() = 0;
  Store& operator=(const Store& other);
  bool operator<(const Store& o) const { return true; }
  static int count;
private:
  std::vector<T> data_;
};
enum class Side : int { Left, Right };
using Row = std::vector<int>;
template <typename T, int N>
T max_of(const T& a, const T& b) { return a < b ? b : a; }
int over(int a) { return a; }
int over(double a) { return 1; }
}
template <typename T>
void lib::Store<T>::flush(std::string name) { auto f = [] { return 1; }; }
int& ref() { static int x; return x; }
extern "C" { void c_api(int); }
"##;
    let expected = r##"
module lib | namespace lib | 2-23
constant lib::kLimit | constexpr int kLimit = 3 | 3-3
class lib::Store | template <typename T> class Store : public Base | 5-16
method lib::Store::Store | explicit Store(int n) | 7-7
method lib::Store::~Store | ~Store() | 8-8
method lib::Store::get | T get(int i) const | 9-9
method lib::Store::close | virtual void close() = 0 | 10-10
method lib::Store::operator= | Store& operator=(const Store& other) | 11-11
method lib::Store::operator< | bool operator<(const Store& o) const | 12-12
enum lib::Side | enum class Side : int | 17-17
type lib::Row | using Row = std::vector<int> | 18-18
function lib::max_of | template <typename T, int N> T max_of(const T& a, const T& b) | 20-20
function lib::over | int over(int a) | 21-21
function lib::over | int over(double a) | 22-22
method lib::Store::flush | template <typename T> void lib::Store<T>::flush(std::string name) | 25-25
function ref | int& ref() | 26-26
function c_api | void c_api(int) | 27-27
"##;
    check(Language::Cpp, source, expected);
}

#[test]
fn c_sharp_is_read() {
    let source = r##"
using System;
namespace Shop.Core {
  [Serializable]
  public abstract class Order<T> : Base, IDisposable where T : class {
    public const int Limit = 3;
    private static readonly string Name = "x";
    private int count;
    public string Title { get; set; } = "";
    public int Size => count;
    public Order(int n) : base(n) { }
    [HttpGet("x")]
    public async Task<T> FindAsync(string key, int depth = 3) { Action a = () => {}; return null; }
    public override string ToString() => "x";
    public static Order<T> operator +(Order<T> a, Order<T> b) { return a; }
    public T this[int i] => null;
    class Entry { void Größe() {} }
  }
  public interface IReader { string Read(int n); }
  public record Point(int X, int Y);
  public struct Pair { public int A; }
  public enum Side { Left, Right }
  public delegate void Handler(object sender);
}
"##;
    let expected = r##"
class Order | [Serializable] public abstract class Order<T> : Base, IDisposable where T : class | 3-17
constant Order.Limit | public const int Limit = 3 | 5-5
constant Order.Name | private static readonly string Name = "x" | 6-6
property Order.Title | public string Title | 8-8
property Order.Size | public int Size | 9-9
method Order.Order | public Order(int n) | 10-10
method Order.FindAsync | [HttpGet("x")] public async Task<T> FindAsync(string key, int depth = 3) | 11-12
method Order.ToString | public override string ToString() | 13-13
method Order.operator | public static Order<T> operator +(Order<T> a, Order<T> b) | 14-14
method Order.this | public T this[int i] | 15-15
class Order.Entry | class Entry | 16-16
method Order.Entry.Größe | void Größe() | 16-16
interface IReader | public interface IReader | 18-18
method IReader.Read | string Read(int n) | 18-18
class Point | public record Point(int X, int Y) | 19-19
struct Pair | public struct Pair | 20-20
enum Side | public enum Side | 21-21
type Handler | public delegate void Handler(object sender) | 22-22
"##;
    check(Language::CSharp, source, expected);
}

